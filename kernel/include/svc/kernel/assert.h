#pragma once

#include "svc/base/assert.h"
