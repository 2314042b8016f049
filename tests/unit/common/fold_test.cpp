#include "svc/common/fold.h"

#include <gtest/gtest.h>

#include "svc/common/fuzzy.h"

namespace svc::common {
namespace {

TEST(FoldTest, EveryScriptHasItsLowerCase) {
  EXPECT_EQ(foldCase(std::string_view("ÉCOLE, Straße, ЖУК, Ωμέγα, 𐐀, 日本")),
            "école, straße, жук, ωμέγα, 𐐨, 日本");
  EXPECT_EQ(foldCase(U'É'), U'é');
  EXPECT_EQ(foldCase(U'Z'), U'z');
}

TEST(FoldTest, PlacesStay) {
  // The sign of kelvin takes three bytes, its lower case one.
  EXPECT_EQ(foldCase(std::string_view("\u212A\u0130x")), "\u212A\u0130x");
  for (const std::string text :
       {"\xff", "A\xc3", "\xe2\x84", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    EXPECT_EQ(foldCase(text).size(), text.size());
  }
  EXPECT_EQ(foldCase(std::string_view("A\xc3\xffÉ\xe2")), "a\xc3\xffé\xe2");
}

TEST(FoldTest, FuzzySearchIgnoresTheCaseOfEveryScript) {
  EXPECT_TRUE(FuzzyQuery("ÉC").match("docs/école.md"));
  EXPECT_TRUE(FuzzyQuery("жук").match("ЖУК.txt"));
  EXPECT_FALSE(FuzzyQuery("e").match("É"));
  // A capital letter begins a word.
  EXPECT_GT(FuzzyQuery("é").match("aÉx")->score, FuzzyQuery("é").match("aéx")->score);
}

}  // namespace
}  // namespace svc::common
