#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "svc/plugins/assets.h"

namespace svc::themes {

/// A theme that can be chosen. `css` is null for the palette that is part of the window.
struct Theme {
  std::string id{};
  std::string name{};
  std::string description{};  ///< may be empty, as the code themes
  std::string kind{};         ///< "builtin", "custom", "plugin"
  std::string plugin_id{};    ///< empty = none
  std::string code_dark{};
  std::string code_light{};
  std::shared_ptr<const plugins::PluginAsset> css{};
};

struct ThemeProblem {
  std::string id;
  std::string message;
};

struct Themes {
  std::vector<Theme> themes;           ///< built in, custom, plugins; each by name
  std::vector<ThemeProblem> problems;  ///< custom files that are left out
};

/// Everything that can be chosen. Thread-safe; whatever reads files says that it blocks.
class ThemeShelf {
 public:
  /// `directory`: of the custom themes, need not exist. `assets`: null without plugins.
  ThemeShelf(std::filesystem::path directory, const plugins::IPluginAssets* assets)
      : directory_(std::move(directory)), assets_(assets) {}

  /// Plugins whose themes are offered.
  void setPlugins(std::set<std::string> plugin_ids);

  /// Blocks.
  [[nodiscard]] Themes all() const;
  /// `not_found` says why it cannot be used. Blocks for custom themes.
  [[nodiscard]] Result<Theme> find(const std::string& theme_id) const;
  /// Of the custom themes.
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

 private:
  [[nodiscard]] std::vector<Theme> ofPlugins() const;
  [[nodiscard]] Result<Theme> readCustom(const std::string& theme_id) const;

  const std::filesystem::path directory_;
  const plugins::IPluginAssets* const assets_;
  mutable std::mutex mutex_;
  std::set<std::string> plugin_ids_;
};

}  // namespace svc::themes
