#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "svc/plugins/assets.h"
#include "svc/plugins/plugin_record.h"

#include "manifest.h"

namespace svc::plugins {

using AssetMap = std::map<std::string, std::shared_ptr<const PluginAsset>, std::less<>>;

/// What a plugin's directory offers beside its code, read once: later changes of the files do not show.
struct PluginContents {
  /// "icon", "logo", "logo-dark", "icons/<name>". Without an icon of its own a plugin has a generated one.
  AssetMap branding;
  std::vector<Capability> capabilities;
  std::vector<PluginTheme> themes;
  std::vector<PluginSkill> skills;
  std::string overview;
  std::vector<Problem> problems;  ///< skills and themes that are skipped
};
using ContentsPtr = std::shared_ptr<const PluginContents>;

/// Fails for branding that cannot be shown. Blocks.
[[nodiscard]] Result<ContentsPtr> readContents(const std::filesystem::path& root,
                                               const Manifest& manifest);

/// The icon of a plugin without branding: the first letter of its name, in one colour.
[[nodiscard]] std::string letterIcon(std::string_view name);

/// "/api/v1/plugins/<id>/assets/<file>?h=<hash>"; empty when the plugin has no such asset. Icons are files ".svg".
[[nodiscard]] std::string assetUrl(const std::string& plugin_id, const AssetMap& assets,
                                   const std::string& name);

}  // namespace svc::plugins
