#include "svc/common/fuzzy.h"

#include <gmock/gmock.h>

namespace svc::common {
namespace {

using ::testing::ElementsAre;

std::int64_t score(std::string_view query, std::string_view path) {
  const auto match = FuzzyQuery(query).match(path);
  EXPECT_TRUE(match) << query << " in " << path;
  return match ? match->score : 0;
}

TEST(FuzzyTest, AllCharactersAreThereInTheirOrderWhateverTheCase) {
  EXPECT_TRUE(FuzzyQuery("SFT").match("src/fuzzy_test.cpp"));
  EXPECT_FALSE(FuzzyQuery("tfs").match("src/fuzzy.cpp"));
  EXPECT_FALSE(FuzzyQuery("srcc").match("src"));
  EXPECT_FALSE(FuzzyQuery("a").match(""));
  EXPECT_TRUE(FuzzyQuery(" ").empty());
  EXPECT_TRUE(FuzzyQuery("src main").match("src/main.ts"));
}

TEST(FuzzyTest, PositionsAreThoseOfTheBestStretch) {
  EXPECT_THAT(FuzzyQuery("main").match("m/a/i/n/main.ts")->positions, ElementsAre(8, 9, 10, 11));
  EXPECT_THAT(FuzzyQuery("ab").match("axxab")->positions, ElementsAre(3, 4));
}

TEST(FuzzyTest, PositionsCountAsJavaScriptDoes) {
  EXPECT_THAT(FuzzyQuery("öx").match("ä😀ö/x")->positions, ElementsAre(3, 5));
  EXPECT_THAT(FuzzyQuery("😀a").match("x😀a")->positions, ElementsAre(1, 3));
}

TEST(FuzzyTest, WhatIsMeantComesFirst) {
  EXPECT_GT(score("main", "src/main.ts"), score("main", "main/other/x.ts"));
  EXPECT_GT(score("main", "src/main.ts"), score("main", "src/a_m_a_i_n.ts"));
  EXPECT_GT(score("ft", "fuzzy_test"), score("ft", "soft_xx"));
  EXPECT_GT(score("a", "a"), score("a", "a/long/way/to/a"));
  EXPECT_GT(score("fT", "fooTest"), score("fT", "footest"));
}

TEST(FuzzyTest, BytesThatAreNoTextDoNoHarm) {
  for (const auto* text : {"\xff\xfe", "a\xf0\x9f", "\xc3"}) {
    EXPECT_FALSE(FuzzyQuery("zzz").match(text));
    (void)FuzzyQuery(text).match(text);
  }
}

}  // namespace
}  // namespace svc::common
