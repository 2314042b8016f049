#pragma once

#include "svc/base/result.h"
