#include "svc/common/sort_key.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace svc::common {
namespace {

TEST(SortKeyTest, FindsRoomAtBothEndsAndBetween) {
  const auto first = sortKeyBetween({}, {});
  const auto before = sortKeyBetween({}, first);
  const auto behind = sortKeyBetween(first, {});
  EXPECT_LT(before, first);
  EXPECT_LT(first, behind);
  const auto between = sortKeyBetween(before, first);
  EXPECT_LT(before, between);
  EXPECT_LT(between, first);
}

TEST(SortKeyTest, StaysShortWhereListsGrow) {
  const auto keys = sortKeys(1000);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_LE(keys.back().size(), kSortKeyLength / 2);
}

TEST(SortKeyTest, KeepsTheOrderOfAnyInsertions) {
  std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same order each time
  std::vector<std::string> keys;
  for (int made = 0; made < 2000; ++made) {
    const auto at = random() % (keys.size() + 1);
    const auto below = at == 0 ? std::string() : keys[at - 1];
    const auto above = at == keys.size() ? std::string() : keys[at];
    const auto key = sortKeyBetween(below, above);
    ASSERT_GT(key, below);
    ASSERT_TRUE(above.empty() || key < above) << below << " " << key << " " << above;
    ASSERT_NE(key.back(), '0');
    keys.insert(keys.begin() + static_cast<std::ptrdiff_t>(at), key);
  }
}

TEST(SortKeyTest, FindsRoomInOnePlaceAgainAndAgain) {
  std::string below;
  std::string above = sortKeyBetween({}, {});
  for (int made = 0; made < 100; ++made) {
    const auto key = sortKeyBetween(below, above);
    ASSERT_LT(below, key);
    ASSERT_LT(key, above);
    (made % 2 == 0 ? below : above) = key;
  }
  for (int made = 0; made < 100; ++made) {
    const auto key = sortKeyBetween({}, above);
    ASSERT_LT(key, above);
    above = key;
  }
}

}  // namespace
}  // namespace svc::common
