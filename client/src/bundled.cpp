#include "bundled.h"

#include <algorithm>
#include <system_error>

#include "sdk_pins.h"

namespace svc::client {

namespace fs = std::filesystem;

std::vector<BundledPlugin> bundledPlugins(const fs::path& share) {
  std::vector<BundledPlugin> plugins;
  std::error_code failure;
  for (fs::directory_iterator each(share / "builtin", failure), end; !failure && each != end;
       each.increment(failure)) {
    if (const auto manifest = readPackageFile(each->path())) {
      plugins.push_back({.id = each->path().filename().string(),
                         .description = manifest.value().json["description"].asString()});
    }
  }
  std::sort(
      plugins.begin(), plugins.end(),
      [](const BundledPlugin& left, const BundledPlugin& right) { return left.id < right.id; });
  return plugins;
}

bool isBundled(const fs::path& share, std::string_view id) {
  const auto plugins = bundledPlugins(share);
  return std::any_of(plugins.begin(), plugins.end(),
                     [id](const BundledPlugin& plugin) { return plugin.id == id; });
}

}  // namespace svc::client
