#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/inline_workers.h"
#include "mocks/mock_plugin_assets.h"
#include "mocks/mock_service_settings.h"
#include "theme_shelf.h"

namespace svc::themes {

using svc::test::InlineWorkers;

/// A directory of custom themes and one plugin with a theme.
class ThemesFixture : public ::testing::Test {
 protected:
  ThemesFixture() {
    ON_CALL(assets_, themes).WillByDefault([this] { return of_plugins_; });
    ON_CALL(store_, get).WillByDefault([this](const std::string& key) {
      const auto found = stored_.find(key);
      return Result<std::optional<std::string>>(
          found == stored_.end() ? std::nullopt : std::optional<std::string>(found->second));
    });
    ON_CALL(store_, set).WillByDefault([this](const std::string& key, const std::string& value) {
      stored_[key] = value;
      return Status();
    });
    shelf_.setPlugins({"sea"});
  }
  ~ThemesFixture() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
  }

  static plugins::PluginTheme deep() {
    return {.plugin_id = "sea",
            .id = "plugin:sea:deep",
            .name = "Deep sea",
            .description = "Dark blue",
            .code_dark = "nord",
            .code_light = "",
            .css = std::make_shared<const plugins::PluginAsset>(plugins::PluginAsset{
                ".dark{--canvas:#012}", "text/css; charset=utf-8", "0123456789abcdef"})};
  }

  static std::filesystem::path makeDirectory() {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-themes-XXXXXX").string();
    return ::mkdtemp(pattern.data());
  }

  const std::filesystem::path directory_ = makeDirectory();
  std::vector<plugins::PluginTheme> of_plugins_{deep()};
  std::map<std::string, std::string> stored_;
  ::testing::NiceMock<plugins::MockPluginAssets> assets_;
  ::testing::NiceMock<storage::MockServiceSettings> store_;
  ThemeShelf shelf_{directory_, &assets_};
};

}  // namespace svc::themes
