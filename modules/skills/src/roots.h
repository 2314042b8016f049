#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "svc/skills/skills.h"

namespace svc::skills {

/// A folder whose children are skills.
struct Root {
  Scope scope;
  std::string provider;  ///< empty but for provider scopes
  std::filesystem::path path;
  /// What `path` must not leave through links; empty = nothing.
  std::filesystem::path within{};
};

/// Where this server looks.
struct Homes {
  std::filesystem::path data;
  std::filesystem::path home;  ///< empty = the user has none
};

/// What Homes are for the user who runs the process.
using Variable = std::function<std::optional<std::string>(const char* name)>;

/// Of the user and the service, the strongest first; plugins bring their own.
[[nodiscard]] std::vector<Root> userRoots(const Homes& homes, const Variable& variable);
[[nodiscard]] std::vector<Root> projectRoots(const std::filesystem::path& project);

/// `<data>/skills-generated/plugin-commands/SKILL.md`
[[nodiscard]] std::filesystem::path commandsFile(const std::filesystem::path& data);

}  // namespace svc::skills
