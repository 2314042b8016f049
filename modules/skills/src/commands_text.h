#pragma once

#include <string>
#include <vector>

#include "svc/cli/commands.h"

namespace svc::skills {

/// The SKILL.md that teaches agents the commands of plugins; empty when there are none.
[[nodiscard]] std::string commandsText(const std::vector<cli::Command>& commands);

}  // namespace svc::skills
