#pragma once

#include <string>
#include <vector>

#include "command_table.h"

namespace svc::cli {

/// The text of the generated skill `plugin-commands`; empty when there is no command.
[[nodiscard]] std::string skillText(const std::vector<Command>& commands);

}  // namespace svc::cli
