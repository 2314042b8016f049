#pragma once

#include "svc/base/error.h"
