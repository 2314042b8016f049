#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::plugins {

/// A file of a plugin as it was when the plugin was read. Immutable.
struct PluginAsset {
  std::string bytes;
  std::string content_type;
  std::string hash;  ///< first 16 hex digits of the SHA-256 of the bytes
};

/// One entry of `svc.themes` with its sheet.
struct PluginTheme {
  std::string plugin_id;
  std::string id;  ///< "plugin:<plugin>:<theme>"
  std::string name;
  std::string description;  ///< may be empty, as the code themes
  std::string code_dark;
  std::string code_light;
  std::shared_ptr<const PluginAsset> css;
};

/// Where a skill of a plugin is.
struct PluginSkill {
  std::string plugin_id;
  std::string name;
  std::filesystem::path directory;
};

/// Branding files, themes and skills of plugins. They do not need a loaded plugin. Thread-safe and quick (any thread, the io thread
/// included).
class IPluginAssets {
 public:
  static constexpr ServiceId kId{"svc.plugins.Assets", 1};
  virtual ~IPluginAssets() = default;
  /// `name`: "icon", "logo", "logo-dark" or "icons/<name>". `unknown_plugin`, `unknown_asset`.
  [[nodiscard]] virtual Result<std::shared_ptr<const PluginAsset>> branding(
      const std::string& plugin_id, const std::string& name) const = 0;
  /// Of every plugin that has been read, also of those that are disabled; by plugin, then in the manifest's order.
  [[nodiscard]] virtual std::vector<PluginTheme> themes() const = 0;
  /// As themes(): by plugin, then in the order of their roots and names. Files may have changed since the plugin was read.
  [[nodiscard]] virtual std::vector<PluginSkill> skills() const = 0;
};

}  // namespace svc::plugins
