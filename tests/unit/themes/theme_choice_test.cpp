#include "theme_choice.h"

#include "svc/common/codes.h"

#include "fixture.h"

namespace svc::themes {
namespace {

using ::testing::_;
using ::testing::Return;

class ThemeChoiceTest : public ThemesFixture {
 protected:
  ThemeChoices choices_{store_};
};

TEST_F(ThemeChoiceTest, IsTheBuiltInOneAtFirst) {
  ASSERT_TRUE(choices_.open().ok());
  EXPECT_EQ(choices_.get(), ThemeChoice{});
  EXPECT_EQ(toJson(choices_.get()).dump(), R"({"themeId":"default","faviconColor":null})");
}

TEST_F(ThemeChoiceTest, SurvivesARestart) {
  const ThemeChoice choice{.theme_id = "plugin:sea:deep", .favicon_color = "#0a1B2c"};
  ASSERT_TRUE(choices_.set(choice).ok());
  ThemeChoices next(store_);
  ASSERT_TRUE(next.open().ok());
  EXPECT_EQ(next.get(), choice);
}

TEST_F(ThemeChoiceTest, WhatCannotBeReadIsAsNothing) {
  for (const auto* text : {"", "nonsense", "[]", R"({"themeId":1})"}) {
    stored_["theme"] = text;
    ThemeChoices choices(store_);
    ASSERT_TRUE(choices.open().ok()) << text;
    EXPECT_EQ(choices.get(), ThemeChoice{}) << text;
  }
}

TEST_F(ThemeChoiceTest, StaysWhenItCannotBeStored) {
  EXPECT_CALL(store_, set(_, _)).WillOnce(Return(Status(Error{errc::kInternal, "full"})));
  EXPECT_FALSE(choices_.set({.theme_id = "sepia"}).ok());
  EXPECT_EQ(choices_.get(), ThemeChoice{});
}

TEST(ColorTest, IsSixHexadecimalDigitsOrAName) {
  EXPECT_TRUE(isColor("#09aFfe"));
  EXPECT_TRUE(isColor("red"));
  for (const auto* text : {"", "#fff", "09affe0", "#09affg", "#09affe0", "crimson", "default"}) {
    EXPECT_FALSE(isColor(text)) << text;
  }
}

}  // namespace
}  // namespace svc::themes
