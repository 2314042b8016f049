#pragma once

#include <string_view>

#include "svc/kernel/config.h"

namespace svc::app {

/// The rule of `build.node`: a program that there is, as a path or on PATH. The default need not be there, since a server
/// also works without builds.
[[nodiscard]] Status isNodeProgram(const IConfig& config, std::string_view key);

}  // namespace svc::app
