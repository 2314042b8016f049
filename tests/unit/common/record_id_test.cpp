#include "svc/common/record_id.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::common {
namespace {

TEST(RecordIdTest, HasThePrefixAndSortsByTime) {
  const auto earlier = newRecordId("proj", 1'700'000'000'000);
  EXPECT_THAT(earlier, ::testing::MatchesRegex("proj_[0-9a-hjkmnp-tv-z]{26}"));
  EXPECT_LT(earlier, newRecordId("proj", 1'700'000'000'001));
  EXPECT_NE(earlier, newRecordId("proj", 1'700'000'000'000));
}

TEST(RecordIdTest, IdsOfOneMillisecondAreInTheirOrder) {
  std::vector<std::string> made;
  for (int number = 0; number < 500; ++number) {
    made.push_back(newRecordId("int", 1'700'000'000'500));
  }
  EXPECT_TRUE(std::is_sorted(made.begin(), made.end()));
  EXPECT_EQ(made.front().size(), std::string("int_").size() + 26);
}

}  // namespace
}  // namespace svc::common
