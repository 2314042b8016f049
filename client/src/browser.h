#pragma once

#include <optional>
#include <string>

#include "server_locator.h"

namespace svc::client {

/// What shows an address to the person of this session: the program that BROWSER names, else the desktop's own. Nothing without
/// a desktop, and nothing in a session from another machine, whose browser is there.
[[nodiscard]] std::optional<std::string> browserProgram(const Environment& environment);

}  // namespace svc::client
