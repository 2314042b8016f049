#pragma once

#include <string>
#include <string_view>

#include "svc/base/error.h"

namespace svc::base {

/// What the operating system calls this errno.
[[nodiscard]] std::string systemText(int code);

/// `unavailable`: "<what>: <what the system says of the errno>".
[[nodiscard]] Error systemError(std::string_view what, int code);

}  // namespace svc::base
