#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace svc::cli {

/// First words of `svc …` that belong to the service. A plugin command of such a name is reachable only as
/// `svc plugin run <id>`.
inline constexpr std::array<std::string_view, 25> kCoreNames{
    "backup",  "browser", "completion",  "environment", "file",   "guide",    "help",
    "machine", "manager", "marketplace", "mcp",         "plugin", "project",  "provider",
    "restore", "server",  "settings",    "skill",       "status", "terminal", "theme",
    "thread",  "updates", "version",     "voice"};

[[nodiscard]] constexpr bool isCoreName(std::string_view name) {
  return std::find(kCoreNames.begin(), kCoreNames.end(), name) != kCoreNames.end();
}

}  // namespace svc::cli
