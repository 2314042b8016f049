#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace svc::common {

/// A directory of `data` with files that only the core database knows, where there is no core database (or an empty file in its place);
/// empty otherwise. A server that began anew there would show nothing of them, and remove some. Reads a few directories.
inline std::filesystem::path remainsWithoutDatabase(const std::filesystem::path& data) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::exists(data / "svc.db", ignored) && !fs::is_empty(data / "svc.db", ignored)) {
    return {};
  }
  constexpr std::array kKnownToIt{"plugins/cache/npm", "plugins/cache/git", "plugins/cache/tarball",
                                  "projects"};
  for (const auto* const name : kKnownToIt) {
    if (fs::is_directory(data / name, ignored) && !fs::is_empty(data / name, ignored)) {
      return data / name;
    }
  }
  for (const auto& plugin : fs::directory_iterator(data / "plugins", ignored)) {
    if (fs::exists(plugin.path() / "data.db", ignored)) {
      return plugin.path();
    }
  }
  return {};
}

/// How a backup takes the place of a data directory on which no server starts.
inline std::string restoreByHand(const std::filesystem::path& data) {
  return fmt::format("mkdir {0}.restore, tar -C {0}.restore -xzf <backup>, svc server start",
                     data.string());
}

}  // namespace svc::common
