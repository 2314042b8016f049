#include "bundled.h"

#include <algorithm>
#include <system_error>

#include "sdk_pins.h"

namespace svc::client {

namespace fs = std::filesystem;

namespace {

fs::path exampleRoot(const fs::path& share) {
  return share / "builtin" / "plugin-author" / "examples";
}

std::vector<BundledPlugin> pluginsIn(const fs::path& directory) {
  std::vector<BundledPlugin> plugins;
  std::error_code failure;
  for (fs::directory_iterator each(directory, failure), end; !failure && each != end;
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

bool has(const std::vector<BundledPlugin>& plugins, std::string_view id) {
  return std::any_of(plugins.begin(), plugins.end(),
                     [id](const BundledPlugin& plugin) { return plugin.id == id; });
}

}  // namespace

std::vector<BundledPlugin> bundledPlugins(const fs::path& share) {
  return pluginsIn(share / "builtin");
}

std::vector<BundledPlugin> bundledExamples(const fs::path& share) {
  return pluginsIn(exampleRoot(share));
}

fs::path exampleDirectory(const fs::path& share, std::string_view id) {
  return exampleRoot(share) / id;
}

bool isBundled(const fs::path& share, std::string_view id) {
  return has(bundledPlugins(share), id);
}

bool isExample(const fs::path& share, std::string_view id) {
  return has(bundledExamples(share), id);
}

}  // namespace svc::client
