#include "theme_shelf.h"

#include "svc/common/limits/plugins.h"

#include "fixture.h"
#include "palettes.h"

namespace svc::themes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ThemeShelfTest : public ThemesFixture {
 protected:
  [[nodiscard]] std::vector<std::string> ids() const {
    std::vector<std::string> out;
    for (const auto& theme : shelf_.all().themes) {
      if (theme.kind != "builtin") {
        out.push_back(theme.id);
      }
    }
    return out;
  }
};

TEST_F(ThemeShelfTest, OffersFilesThenPluginsBehindTheBuiltInOnes) {
  write("sunset.css", ":root{}");
  write("Amber_glow.css", ":root{}");
  write("notes.txt", "");
  EXPECT_THAT(ids(), ElementsAre("Amber_glow", "sunset", "plugin:sea:deep"));
  EXPECT_EQ(shelf_.find("Amber_glow").value().name, "Amber glow");
  EXPECT_EQ(shelf_.find("sunset").value().css->bytes, ":root{}");
  EXPECT_EQ(shelf_.find("sunset").value().css->hash.size(), 16U);
}

TEST_F(ThemeShelfTest, WithoutADirectoryThereAreNoFiles) {
  std::filesystem::remove_all(directory_);
  EXPECT_THAT(ids(), ElementsAre("plugin:sea:deep"));
}

TEST_F(ThemeShelfTest, APluginThatIsOffOffersNothing) {
  shelf_.setPlugins({});
  EXPECT_THAT(ids(), IsEmpty());
  EXPECT_THAT(shelf_.find("plugin:sea:deep").error().message, HasSubstr("plugin:sea:deep"));
}

TEST_F(ThemeShelfTest, FilesThatAreRefusedAreNamedWithTheLimit) {
  write("huge.css", std::string(limits::kThemeCss + 1, ' '));
  write("largest.css", std::string(limits::kThemeCss, ' '));
  write("no spaces.css", "");
  write("default.css", "");
  write(".hidden.css", "");
  EXPECT_THAT(ids(), ElementsAre("largest", "plugin:sea:deep"));
  std::map<std::string, std::string> problems;
  for (const auto& problem : shelf_.all().problems) {
    problems[problem.id] = problem.message;
  }
  ASSERT_EQ(problems.size(), 3U);
  EXPECT_THAT(problems["huge"], HasSubstr("262145 bytes, the limit theme-css is 262144"));
  EXPECT_THAT(problems["no spaces"], HasSubstr("themeId"));
  EXPECT_THAT(problems["default"], HasSubstr("built-in"));
}

TEST_F(ThemeShelfTest, IdsDoNotLeaveTheDirectory) {
  std::ofstream(directory_.parent_path() / "svc-outside.css") << ":root{}";
  EXPECT_FALSE(shelf_.find("../svc-outside").ok());
  EXPECT_FALSE(shelf_.find("").ok());
  EXPECT_FALSE(shelf_.find("/etc/passwd").ok());
  std::filesystem::remove(directory_.parent_path() / "svc-outside.css");
}

TEST(ThemeShelfAloneTest, WithoutPluginsThereAreTheBuiltInOnes) {
  const ThemeShelf shelf("/nonexistent", nullptr);
  EXPECT_EQ(shelf.all().themes.size(), kPalettes.size());
  EXPECT_THAT(shelf.all().problems, IsEmpty());
}

}  // namespace
}  // namespace svc::themes
