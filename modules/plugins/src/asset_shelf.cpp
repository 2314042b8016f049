#include "asset_shelf.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::plugins {

Result<std::shared_ptr<const PluginAsset>> AssetShelf::branding(const std::string& plugin_id,
                                                                const std::string& name) const {
  const std::scoped_lock lock(mutex_);
  const auto plugin = contents_.find(plugin_id);
  if (plugin == contents_.end()) {
    return Error{errc::kUnknownPlugin, fmt::format("no plugin \"{}\" is installed", plugin_id)};
  }
  if (plugin->second) {
    if (const auto asset = plugin->second->branding.find(name);
        asset != plugin->second->branding.end()) {
      return asset->second;
    }
  }
  return Error{errc::kUnknownAsset,
               fmt::format(R"(plugin "{}" has no asset "{}")", plugin_id, name)};
}

std::vector<PluginTheme> AssetShelf::themes() const {
  std::vector<PluginTheme> out;
  const std::scoped_lock lock(mutex_);
  for (const auto& [plugin_id, contents] : contents_) {
    if (contents) {
      out.insert(out.end(), contents->themes.begin(), contents->themes.end());
    }
  }
  return out;
}

std::vector<PluginSkill> AssetShelf::skills() const {
  std::vector<PluginSkill> out;
  const std::scoped_lock lock(mutex_);
  for (const auto& [plugin_id, contents] : contents_) {
    if (contents) {
      out.insert(out.end(), contents->skills.begin(), contents->skills.end());
    }
  }
  return out;
}

void AssetShelf::set(const std::string& plugin_id, ContentsPtr contents) {
  const std::scoped_lock lock(mutex_);
  contents_[plugin_id] = std::move(contents);
}

void AssetShelf::erase(const std::string& plugin_id) {
  const std::scoped_lock lock(mutex_);
  contents_.erase(plugin_id);
}

}  // namespace svc::plugins
