#include "svc/common/semver.h"

#include <array>

#include <gtest/gtest.h>

namespace svc::common::semver {
namespace {

Version version(std::string_view text) {
  const auto parsed = Version::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed.value_or(Version{});
}

TEST(SemverVersionTest, ReadsWhatNpmReads) {
  for (const auto* text : {"1.2.3", "v1.2.3", " 1.2.3 ", "0.0.0", "1.2.3-alpha", "1.2.3-0.3.7",
                           "1.2.3-x.7.z.92", "1.2.3-alpha+001", "1.2.3+20130313",
                           "1.2.3----RC-SNAPSHOT.12.9.1--.12", "9007199254740991.0.0"}) {
    EXPECT_TRUE(Version::parse(text)) << text;
  }
}

TEST(SemverVersionTest, RefusesWhatNpmRefuses) {
  for (const auto* text :
       {"", "1", "1.2", "1.2.3.4", "01.2.3", "1.02.3", "1.2.3-", "1.2.3-01", "1.2.3-a..b", "1.2.3+",
        "1.2.x", "a.b.c", "-1.2.3", "1.2.3 4", "9007199254740992.0.0", "=1.2.3"}) {
    EXPECT_FALSE(Version::parse(text)) << text;
  }
}

TEST(SemverVersionTest, OrdersByPrecedence) {
  constexpr std::array kAscending{
      "0.0.0-0",    "0.0.0",        "1.0.0-alpha",   "1.0.0-alpha.1", "1.0.0-alpha.beta",
      "1.0.0-beta", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1",    "1.0.0",
      "1.0.1",      "1.2.0",        "2.0.0",         "10.0.0"};
  for (std::size_t left = 0; left < kAscending.size(); ++left) {
    for (std::size_t right = 0; right < kAscending.size(); ++right) {
      EXPECT_EQ(version(kAscending.at(left)) <=> version(kAscending.at(right)), left <=> right)
          << kAscending.at(left) << " and " << kAscending.at(right);
    }
  }
}

TEST(SemverVersionTest, IgnoresBuildMetadata) {
  EXPECT_EQ(version("1.2.3+one"), version("1.2.3+two"));
}

TEST(SemverVersionTest, WritesItsText) {
  EXPECT_EQ(version("v1.2.3-beta.2+build").text(), "1.2.3-beta.2");
}

struct RangeCase {
  std::string_view range;
  std::string_view version;
  bool matches;
};

void PrintTo(const RangeCase& value, std::ostream* out) {
  *out << value.range << " with " << value.version;
}

class SemverRangeTest : public ::testing::TestWithParam<RangeCase> {};

TEST_P(SemverRangeTest, Matches) {
  const auto range = Range::parse(GetParam().range);
  ASSERT_TRUE(range);
  EXPECT_EQ(range->matches(version(GetParam().version)), GetParam().matches);
}

INSTANTIATE_TEST_SUITE_P(
    Any, SemverRangeTest,
    ::testing::Values(RangeCase{"", "1.2.3", true}, RangeCase{"*", "0.0.0", true},
                      RangeCase{"x", "43.0.1", true}, RangeCase{"*", "1.2.3-beta", false},
                      RangeCase{">=0.0.0", "1.0.0", true}, RangeCase{"1 || *", "7.0.0", true},
                      RangeCase{"||", "7.0.0", true}, RangeCase{">*", "7.0.0", false},
                      RangeCase{"<=*", "7.0.0", true}));
INSTANTIATE_TEST_SUITE_P(
    Caret, SemverRangeTest,
    ::testing::Values(RangeCase{"^1.2.3", "1.2.3", true}, RangeCase{"^1.2.3", "1.9.0", true},
                      RangeCase{"^1.2.3", "1.2.2", false}, RangeCase{"^1.2.3", "2.0.0", false},
                      RangeCase{"^1.2.3", "2.0.0-0", false}, RangeCase{"^0.2.3", "0.2.9", true},
                      RangeCase{"^0.2.3", "0.3.0", false}, RangeCase{"^0.0.3", "0.0.3", true},
                      RangeCase{"^0.0.3", "0.0.4", false}, RangeCase{"^0.0", "0.0.9", true},
                      RangeCase{"^0.0", "0.1.0", false}, RangeCase{"^0", "0.9.9", true},
                      RangeCase{"^0", "1.0.0", false}, RangeCase{"^1.x", "1.9.9", true},
                      RangeCase{"^1.2.3-beta.2", "1.2.3-beta.4", true},
                      RangeCase{"^1.2.3-beta.2", "1.2.4-beta.2", false},
                      RangeCase{"^1.2.3-beta.2", "1.2.4", true}, RangeCase{"^ 1.2", "1.3.0", true},
                      RangeCase{"^0.43.0", "0.43.0", true}, RangeCase{"^0.42.0", "0.43.0", false}));
INSTANTIATE_TEST_SUITE_P(
    Tilde, SemverRangeTest,
    ::testing::Values(RangeCase{"~1.2.3", "1.2.9", true}, RangeCase{"~1.2.3", "1.3.0", false},
                      RangeCase{"~1.2", "1.2.0", true}, RangeCase{"~1", "1.9.0", true},
                      RangeCase{"~1", "2.0.0", false}, RangeCase{"~>1.2.3", "1.2.4", true},
                      RangeCase{"~0.0.1", "0.0.9", true}, RangeCase{"~0.0.1", "0.1.0", false},
                      RangeCase{"~1.2.3-beta.2", "1.2.3-beta.4", true}));
INSTANTIATE_TEST_SUITE_P(
    Open, SemverRangeTest,
    ::testing::Values(RangeCase{"1.x", "1.9.9", true}, RangeCase{"1.2.*", "1.2.9", true},
                      RangeCase{"1.2", "1.3.0", false}, RangeCase{"1", "1.0.0", true},
                      RangeCase{">1", "1.9.9", false}, RangeCase{">1", "2.0.0", true},
                      RangeCase{">1.2", "1.3.0", true}, RangeCase{">1.2", "1.2.9", false},
                      RangeCase{"<=1.2", "1.2.9", true}, RangeCase{"<=1.2", "1.3.0", false},
                      RangeCase{"<1.2", "1.1.9", true}, RangeCase{"<1.2", "1.2.0-beta", false},
                      RangeCase{">=1", "0.9.9", false}, RangeCase{"=1.2", "1.2.7", true}));
INSTANTIATE_TEST_SUITE_P(Hyphen, SemverRangeTest,
                         ::testing::Values(RangeCase{"1.2.3 - 2.3.4", "2.3.4", true},
                                           RangeCase{"1.2.3 - 2.3.4", "2.3.5", false},
                                           RangeCase{"1.2 - 2.3.4", "1.2.0", true},
                                           RangeCase{"1.2.3 - 2.3", "2.3.9", true},
                                           RangeCase{"1.2.3 - 2.3", "2.4.0", false},
                                           RangeCase{"1.2.3 - 2", "2.9.9", true},
                                           RangeCase{"* - 2", "0.1.0", true},
                                           RangeCase{"1 - *", "99.0.0", true}));
INSTANTIATE_TEST_SUITE_P(Combined, SemverRangeTest,
                         ::testing::Values(RangeCase{">=1.2.7 <1.3.0", "1.2.99", true},
                                           RangeCase{">=1.2.7 <1.3.0", "1.3.0", false},
                                           RangeCase{"1.2.7 || >=1.2.9 <2.0.0", "1.2.8", false},
                                           RangeCase{"1.2.7||>=1.2.9 <2.0.0", "1.4.6", true},
                                           RangeCase{">1.2.3-alpha.3", "1.2.3-alpha.7", true},
                                           RangeCase{">1.2.3-alpha.3", "3.4.5-alpha.9", false},
                                           RangeCase{">1.2.3-alpha.3", "3.4.5", true},
                                           RangeCase{"> 1.2", "2.0.0", true},
                                           RangeCase{"v1.2.3", "1.2.3", true},
                                           RangeCase{"1.2.3+build", "1.2.3", true}));

TEST(SemverRangeParseTest, RefusesWhatIsNoRange) {
  for (const auto* text : {"latest", "1.2.3.4", "^", "~", ">", "1.x.3", "*.1", "1.2.3 -", "- 1",
                           "=>1", "1.2.3,2", ">=1.2.3<2", "1..2", "01", "1 | 2", "workspace:*"}) {
    EXPECT_FALSE(Range::parse(text)) << text;
  }
}

TEST(SemverRangeMinimumTest, IsTheLowestMatch) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kCases{
      {{"*", "0.0.0"},
       {"^0.4.80", "0.4.80"},
       {">=0.4.80", "0.4.80"},
       {"~1.2", "1.2.0"},
       {">1.2.3", "1.2.4"},
       {">1.2.3-beta", "1.2.3-beta.0"},
       {"<2.0.0", "0.0.0"},
       {"<0.0.0-beta", "0.0.0-0"},
       {"2 || 1.5.1", "1.5.1"},
       {"1.2.3 - 4", "1.2.3"},
       {">=2 >=3.1", "3.1.0"},
       {"1.2.3", "1.2.3"}}};
  for (const auto& [text, expected] : kCases) {
    const auto minimum = Range::parse(text).value_or(Range{}).minimum();
    EXPECT_EQ(minimum ? minimum->text() : "none", expected) << text;
  }
}

TEST(SemverRangeMinimumTest, IsNothingForAnImpossibleRange) {
  EXPECT_FALSE(Range::parse(">4 <3").value_or(Range{}).minimum());
  EXPECT_FALSE(Range::parse("<0.0.0-0").value_or(Range{}).minimum());
}

}  // namespace
}  // namespace svc::common::semver
