#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "server_locator.h"

namespace svc::client {

/// A folder of skills that agents read.
struct SkillTarget {
  std::string agent;  ///< "agents" for the folder that most of them share
  /// What the folder must not leave through links: the home, the project, or the agent's own folder.
  std::filesystem::path base;
  std::filesystem::path folder;
};

/// The words of `--agent`, and those that are kept without it.
[[nodiscard]] const std::vector<std::string>& skillAgents();
[[nodiscard]] const std::vector<std::string>& usualSkillAgents();

/// The folder of an agent in a project, or, without one, of the user. `not_found` when the user has no home.
[[nodiscard]] Result<SkillTarget> skillTarget(const std::string& agent,
                                              const std::optional<std::filesystem::path>& project,
                                              const Environment& environment);

}  // namespace svc::client
