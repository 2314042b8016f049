#include "plugin_contents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"
#include "svc/common/svg.h"

#include "asset_shelf.h"
#include "fixture.h"
#include "plugin_files.h"
#include "temp_directory.h"

namespace svc::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kSvg = R"(<svg xmlns="http://www.w3.org/2000/svg"/>)";

class PluginContentsTest : public ::testing::Test {
 protected:
  [[nodiscard]] Result<ContentsPtr> read() const {
    return readContents(directory_.path() / "plugin", manifest_);
  }
  void write(const std::string& name, const std::string& text) const {
    directory_.write("plugin/" + name, text);
  }

  svc::test::TempDirectory directory_;
  Manifest manifest_ = [] {
    Manifest made;
    made.id = "todo";
    made.name = "Todo";
    return made;
  }();
};

TEST_F(PluginContentsTest, APluginWithoutBrandingHasALetter) {
  const auto contents = read();
  ASSERT_TRUE(contents);
  const auto& icon = *contents.value()->branding.at("icon");
  EXPECT_THAT(icon.bytes, HasSubstr(">T</text>"));
  EXPECT_EQ(icon.content_type, "image/svg+xml");
  EXPECT_EQ(icon.hash.size(), 16U);
  EXPECT_EQ(assetUrl("todo", contents.value()->branding, "icon"),
            "/api/v1/plugins/todo/assets/icon?h=" + icon.hash);
  EXPECT_EQ(assetUrl("todo", contents.value()->branding, "logo"), "");
}

TEST_F(PluginContentsTest, TheGeneratedIconsAreValid) {
  for (const auto* name : {"Todo", "<b>", "&", "\"", "\xC3\xA4hm", "", "9 lives"}) {
    EXPECT_TRUE(common::checkSvg(letterIcon(name))) << name;
  }
}

TEST_F(PluginContentsTest, AHostIconNeedsNoFile) {
  manifest_.branding.icon = "ListTodo";
  EXPECT_THAT(read().value()->branding, IsEmpty());
}

TEST_F(PluginContentsTest, ReadsEveryBrandingFile) {
  manifest_.branding.icon_file = "icon.svg";
  manifest_.branding.logo_light = "logo.png";
  manifest_.branding.logo_dark = "dark.webp";
  manifest_.branding.icons = {{"ok", "ok.svg"}};
  write("icon.svg", kSvg);
  write("logo.png", "png bytes");
  write("dark.webp", "webp bytes");
  write("ok.svg", kSvg);
  const auto contents = read();
  ASSERT_TRUE(contents) << contents.error().message;
  const auto& branding = contents.value()->branding;
  EXPECT_EQ(branding.at("icon")->bytes, kSvg);
  EXPECT_EQ(branding.at("logo")->content_type, "image/png");
  EXPECT_EQ(branding.at("logo")->bytes, "png bytes");
  EXPECT_EQ(branding.at("logo-dark")->content_type, "image/webp");
  EXPECT_EQ(assetUrl("todo", branding, "icons/ok"),
            "/api/v1/plugins/todo/assets/icons/ok.svg?h=" + branding.at("icon")->hash);
}

TEST_F(PluginContentsTest, TheHashIsTheStartOfTheSha256) {
  manifest_.branding.logo_light = "logo.png";
  write("logo.png", "abc");
  EXPECT_EQ(read().value()->branding.at("logo")->hash, "ba7816bf8f01cfea");
}

TEST_F(PluginContentsTest, ARejectedSvgNamesFileAndReason) {
  manifest_.branding.icons = {{"bad", "bad.svg"}};
  write("bad.svg", R"(<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>)");
  const auto contents = read();
  ASSERT_FALSE(contents);
  EXPECT_EQ(contents.error().message,
            "package.json: svc.branding.experimental_icons.bad: \"bad.svg\" is rejected: line 1: "
            "the element <script> is not allowed");
}

TEST_F(PluginContentsTest, BrandingFilesHaveLimits) {
  manifest_.branding.logo_light = "logo.png";
  EXPECT_THAT(read().error().message, HasSubstr("svc.branding.logo.light"));
  write("logo.png", std::string(limits::kLogo + 1, 'x'));
  EXPECT_THAT(read().error().message, HasSubstr("has 262145 bytes, the limit logo is 262144"));
  write("logo.png", std::string(limits::kLogo, 'x'));
  EXPECT_TRUE(read());
  manifest_.branding.icon_file = "icon.svg";
  write("icon.svg", std::string(limits::kIconFile + 1, ' '));
  EXPECT_THAT(read().error().message, HasSubstr("has 32769 bytes, the limit iconFile is 32768"));
}

TEST_F(PluginContentsTest, ListsSkillsAndThemes) {
  manifest_.skills = {"skills"};
  Theme night;
  night.id = "night";
  night.name = "Night";
  night.css = "night.css";
  Theme gone = night;
  gone.id = "gone";
  gone.css = "gone.css";
  manifest_.themes = {night, gone};
  write("skills/add/SKILL.md", "---\nname: add\ndescription: Adds.\n---\n");
  write("night.css", ":root {}");
  const auto contents = read();
  ASSERT_TRUE(contents);
  const auto& shown = contents.value()->capabilities;
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].kind + " " + shown[0].id + " " + shown[0].detail, "skill add Adds.");
  EXPECT_EQ(shown[1].kind + " " + shown[1].id + " " + shown[1].label,
            "theme plugin:todo:night Night");
  EXPECT_THAT(contents.value()->problems,
              ElementsAre(Field(&Problem::message, HasSubstr("theme \"gone\" is skipped"))));
}

TEST_F(PluginContentsTest, CutsTheOverview) {
  std::string text;
  for (std::size_t count = 0; count <= limits::kOverview; ++count) {
    text += "\xC3\xA4";
  }
  write("PLUGIN_OVERVIEW.md", text);
  EXPECT_EQ(characterCount(read().value()->overview), limits::kOverview);
  write("PLUGIN_OVERVIEW.md", "# Short");
  EXPECT_EQ(read().value()->overview, "# Short");
}

TEST(AssetShelfTest, HasTheThemesOfEveryPlugin) {
  AssetShelf shelf;
  shelf.set("empty", nullptr);
  for (const std::string id : {"sky", "sea"}) {
    auto contents = std::make_shared<PluginContents>();
    contents->themes.push_back({.plugin_id = id,
                                .id = "plugin:" + id + ":a",
                                .name = "A",
                                .description = "",
                                .code_dark = "",
                                .code_light = "",
                                .css = std::make_shared<PluginAsset>(PluginAsset{"x", "y", "z"})});
    shelf.set(id, contents);
  }
  EXPECT_THAT(shelf.themes(), ElementsAre(Field(&PluginTheme::id, "plugin:sea:a"),
                                          Field(&PluginTheme::id, "plugin:sky:a")));
  shelf.erase("sea");
  EXPECT_EQ(shelf.themes().size(), 1U);
}

TEST(AssetShelfTest, HasTheSkillsOfEveryPlugin) {
  AssetShelf shelf;
  EXPECT_THAT(shelf.skills(), IsEmpty());
  for (const auto* id : {"b", "a"}) {
    auto contents = std::make_shared<PluginContents>();
    contents->skills.push_back({.plugin_id = id, .name = "skill", .directory = "/srv/skill"});
    shelf.set(id, contents);
  }
  shelf.set("c", nullptr);
  EXPECT_THAT(shelf.skills(), ElementsAre(Field(&PluginSkill::plugin_id, "a"),
                                          Field(&PluginSkill::plugin_id, "b")));
  shelf.erase("a");
  EXPECT_EQ(shelf.skills().size(), 1U);
}

TEST(AssetShelfTest, TellsUnknownPluginsFromUnknownAssets) {
  AssetShelf shelf;
  EXPECT_EQ(shelf.branding("todo", "icon").error().code, errc::kUnknownPlugin);
  shelf.set("todo", nullptr);
  EXPECT_EQ(shelf.branding("todo", "icon").error().code, errc::kUnknownAsset);
  auto contents = std::make_shared<PluginContents>();
  contents->branding["icon"] = std::make_shared<PluginAsset>(PluginAsset{"x", "y", "z"});
  shelf.set("todo", contents);
  EXPECT_EQ(shelf.branding("todo", "icon").value()->bytes, "x");
  EXPECT_EQ(shelf.branding("todo", "logo").error().code, errc::kUnknownAsset);
  shelf.erase("todo");
  EXPECT_EQ(shelf.branding("todo", "icon").error().code, errc::kUnknownPlugin);
}

class InventoryTest : public ManagerFixture {
 protected:
  static constexpr std::string_view kBranded =
      R"({"name":"svc-plugin-todo","version":"1.0.0","svc":{"server":"server.ts","name":"My list",)"
      R"("branding":{"experimental_icons":{"ok":"./ok.svg"}}},"engines":{"svc":">=0.43"}})";
};

TEST_F(InventoryTest, TheRecordNamesItsAssets) {
  directory_.write("todo/ok.svg", kSvg);
  const auto shown = install(writePlugin("todo", kBranded));
  EXPECT_THAT(shown.icon_url, HasSubstr("/api/v1/plugins/todo/assets/icon?h="));
  EXPECT_THAT(shown.icons, ElementsAre(Pair("ok", HasSubstr("/assets/icons/ok.svg?h="))));
  EXPECT_TRUE(shared_assets_->branding("todo", "icons/ok").ok());
}

TEST_F(InventoryTest, ABadIconFailsTheLoadAndKeepsTheRunningOne) {
  directory_.write("todo/ok.svg", kSvg);
  const auto before = install(writePlugin("todo", kBranded));
  directory_.write("todo/ok.svg", "<svg/>");
  const auto outcome = reload();
  EXPECT_THAT(outcome.value().front().failure->message, HasSubstr("\"ok.svg\" is rejected"));
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().icons, before.icons);
}

TEST_F(InventoryTest, ADisabledPluginShowsItselfAfterARestart) {
  directory_.write("todo/ok.svg", kSvg);
  writePlugin("todo", kBranded);
  addRow("todo", false);
  restart();
  Answer<void> loaded;
  manager_->loadAll(std::chrono::seconds(2), loaded.completion());
  settle();
  EXPECT_EQ(record().status, PluginStatus::kDisabled);
  EXPECT_EQ(record().name, "My list");
  EXPECT_TRUE(shared_assets_->branding("todo", "icon").ok());
}

TEST_F(InventoryTest, RemovingTakesTheAssetsAway) {
  installTodo();
  Answer<std::vector<std::string>> removed;
  manager_->remove("todo", false, removed.completion());
  advance(limits::kDisposeTotal);
  ASSERT_TRUE(removed.ok());
  EXPECT_EQ(shared_assets_->branding("todo", "icon").error().code, errc::kUnknownPlugin);
}

TEST_F(InventoryTest, FailedBuildsAreInTheDetailUntilTheyAreCleared) {
  installTodo();
  Answer<void> set;
  manager_->setDevProblems("todo",
                           {{BundleTarget::kApp, "no such file"}, {BundleTarget::kHost, "bad"}},
                           set.completion());
  settle();
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().status_detail,
            "frontend bundle build failed: no such file; host bundle build failed: bad");
  Answer<void> cleared;
  manager_->setDevProblems("todo", {}, cleared.completion());
  settle();
  EXPECT_EQ(record().status_detail, "");
  Answer<void> unknown;
  manager_->setDevProblems("other", {}, unknown.completion());
  settle();
  EXPECT_EQ(unknown.error().code, errc::kUnknownPlugin);
}

TEST_F(InventoryTest, TellsWhereAPluginComesFrom) {
  directory_.write("todo/ok.svg", kSvg);
  const auto root = writePlugin("todo", kBranded);
  install(root);
  Answer<SourceDetail> source;
  manager_->source("todo", source.completion());
  settle();
  ASSERT_TRUE(source.ok());
  EXPECT_EQ(source.value().requested, "path:" + root.string());
  EXPECT_EQ(source.value().resolved, root.string());
  EXPECT_EQ(source.value().engine_service, ">=0.43");
  ASSERT_EQ(source.value().history.size(), 1U);
  EXPECT_EQ(source.value().history.front().version, "1.0.0");
}

}  // namespace
}  // namespace svc::plugins
