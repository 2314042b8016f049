#pragma once

#include <string>

#include "cli/command_tree.h"

namespace svc::client {

/// What `--help` of a command prints, wrapped for a terminal of so many columns; 0 = not a terminal.
[[nodiscard]] std::string helpText(const CommandInfo& command, std::size_t columns);

}  // namespace svc::client
