#include "svc/common/record_id.h"

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

}  // namespace
}  // namespace svc::common
