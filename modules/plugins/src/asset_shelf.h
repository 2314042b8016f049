#pragma once

#include <map>
#include <mutex>
#include <string>

#include "svc/plugins/assets.h"

#include "plugin_contents.h"

namespace svc::plugins {

/// The branding files, themes and skills of every installed plugin, in memory. Thread-safe.
class AssetShelf final : public IPluginAssets {
 public:
  [[nodiscard]] Result<std::shared_ptr<const PluginAsset>> branding(
      const std::string& plugin_id, const std::string& name) const override;
  [[nodiscard]] std::vector<PluginTheme> themes() const override;
  [[nodiscard]] std::vector<PluginSkill> skills() const override;

  /// Makes the plugin known; null = it has none.
  void set(const std::string& plugin_id, ContentsPtr contents);
  void erase(const std::string& plugin_id);

 private:
  mutable std::mutex mutex_;
  std::map<std::string, ContentsPtr, std::less<>> contents_;
};

}  // namespace svc::plugins
