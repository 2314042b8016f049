#include "svc/base/random.h"

#include <set>

#include <gmock/gmock.h>

namespace svc::base {
namespace {

using ::testing::MatchesRegex;

TEST(RandomTest, HexHasTwoDigitsForEachByte) {
  EXPECT_EQ(randomHex(0), "");
  EXPECT_THAT(randomHex(1), MatchesRegex("[0-9a-f][0-9a-f]"));
  EXPECT_THAT(randomHex(33), MatchesRegex("[0-9a-f]*"));
  EXPECT_EQ(randomHex(33).size(), 66U);
  EXPECT_EQ(randomHex(1000).size(), 2000U) << "more than the system gives at once";
}

TEST(RandomTest, EveryDigitComesAndNoIdTwice) {
  std::set<char> digits;
  std::set<std::string> ids;
  for (int count = 0; count < 1000; ++count) {
    const auto id = randomHex(16);
    digits.insert(id.begin(), id.end());
    ids.insert(id);
  }
  EXPECT_EQ(digits.size(), 16U);
  EXPECT_EQ(ids.size(), 1000U);
}

TEST(RandomTest, SharesLieBetweenNoneAndAll) {
  double least = 1;
  double most = 0;
  for (int count = 0; count < 1000; ++count) {
    const auto share = randomShare();
    least = std::min(least, share);
    most = std::max(most, share);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 0.5);
  EXPECT_GT(most, 0.5);
  EXPECT_LT(most, 1);
}

}  // namespace
}  // namespace svc::base
