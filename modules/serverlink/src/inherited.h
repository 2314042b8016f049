#pragma once

#include <chrono>
#include <string>

#include "svc/kernel/result.h"

namespace svc::serverlink {

/// Reads what the process that has started this one wrote into `descriptor`, to its end, and closes it. Space around it is cut off.
/// `unavailable` or `timeout` when nothing comes. Blocks for at most `wait`.
[[nodiscard]] Result<std::string> readInherited(int descriptor, std::chrono::milliseconds wait);

/// Keeps a descriptor from child processes. `invalid_argument` when there is no such descriptor.
[[nodiscard]] Status keepToSelf(int descriptor);

}  // namespace svc::serverlink
