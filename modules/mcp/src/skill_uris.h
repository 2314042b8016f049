#pragma once

#include <string>
#include <string_view>

#include "svc/skills/skills.h"

namespace svc::mcp {

/// Whether clients of MCP may get it: agents do, and its front matter names it.
[[nodiscard]] bool isServed(const skills::Skill& skill);

/// "skill://todo/todo-list"; the files of a skill are below it.
[[nodiscard]] std::string skillUri(const skills::Skill& skill);
[[nodiscard]] std::string fileUri(const skills::Skill& skill, std::string_view path);

/// A skill and a path below it, "" for itself; null when no skill that is served has the URI.
struct Located {
  const skills::Skill* skill = nullptr;
  std::string path{};
};
[[nodiscard]] Located locate(const skills::Catalogue& catalogue, std::string_view uri);

}  // namespace svc::mcp
