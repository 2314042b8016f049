#include "freshness.h"

#include <algorithm>
#include <array>
#include <system_error>

#include <fmt/format.h>

#include "svc/plugins/versions.h"

#include "app_bundle.h"

namespace svc::app {
namespace {

namespace fs = std::filesystem;

bool isIgnored(const std::string& name, bool directory) {
  return name.starts_with('.') || (directory && (name == "dist" || name == "node_modules"));
}

bool anyNewer(const fs::path& root, fs::file_time_type built) {
  std::error_code failure;
  fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied,
                                         failure);
  for (; !failure && entry != fs::recursive_directory_iterator(); entry.increment(failure)) {
    std::error_code gone;
    const bool directory = entry->is_directory(gone);
    const bool ignored = isIgnored(entry->path().filename().string(), directory);
    if (directory && ignored) {
      entry.disable_recursion_pending();
    }
    if (directory || ignored) {
      continue;
    }
    // A directory's own time changes with every editor's temporary file, so files alone count.
    if (const auto changed = entry->last_write_time(gone); !gone && changed > built) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool needsBuild(const fs::path& root, std::string_view target, const std::string& plugin_id) {
  if (builtWithSdk(root, target, plugin_id) != plugins::kSdkVersion) {
    return true;
  }
  const std::array<std::string, 2> outputs{fmt::format("{}.js", target),
                                           fmt::format("{}.meta.json", target)};
  auto built = fs::file_time_type::max();
  for (const auto& name : outputs) {
    std::error_code failure;
    const auto written = fs::last_write_time(root / "dist" / name, failure);
    if (failure) {
      return true;
    }
    built = std::min(built, written);
  }
  return anyNewer(root, built);
}

}  // namespace svc::app
