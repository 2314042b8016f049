#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace svc::common {

/// First words of `svc …` that belong to the service: every group of its command line, and `help`. A plugin command of such a name
/// is reachable only as `svc plugin run <id>`. A test compares them with the command line.
inline constexpr std::array<std::string_view, 23> kCoreNames{
    "backup",  "completion", "doctor",      "environment", "file",     "help",
    "machine", "manual",     "marketplace", "mcp",         "open",     "plugin",
    "project", "provider",   "restore",     "server",      "settings", "skill",
    "status",  "terminal",   "thread",      "up",          "version"};

/// Segments of the plugin routes that stand where the id of a plugin stands.
inline constexpr std::array<std::string_view, 9> kPluginRouteSegments{
    "contributions", "install",   "install-jobs", "mentions", "reload",
    "rpc",           "safe-mode", "top",          "updates"};

/// Directories that stand where the data directory of a plugin would.
inline constexpr std::array<std::string_view, 2> kPluginDirectories{"cache", "snapshots"};

/// Whose something is when it is no plugin's: in addresses of skills these words stand where the id of a plugin stands.
inline constexpr std::array<std::string_view, 3> kOwners{"project", "svc", "user"};
inline constexpr std::string_view kToolchainPrefix = "toolchain-";
inline constexpr std::string_view kServicePrefix = "svc--";

[[nodiscard]] constexpr bool isCoreName(std::string_view name) {
  return std::find(kCoreNames.begin(), kCoreNames.end(), name) != kCoreNames.end();
}

/// Ids that no plugin may have: an install refuses them, and so does the start of a new plugin.
[[nodiscard]] constexpr bool isReservedPluginId(std::string_view id) {
  const auto is_in = [id](const auto& names) {
    return std::find(names.begin(), names.end(), id) != names.end();
  };
  return id.starts_with(kServicePrefix) || id.starts_with(kToolchainPrefix) ||
         is_in(kPluginRouteSegments) || is_in(kPluginDirectories) || is_in(kOwners);
}

}  // namespace svc::common
