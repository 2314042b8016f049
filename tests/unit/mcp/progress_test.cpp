#include "progress.h"

#include <limits>

#include <gtest/gtest.h>

namespace svc::mcp {
namespace {

TEST(ProgressTest, AReportIsSentAsItIs) {
  Progress progress;
  const auto sent = progress.reported({.value = 0, .total = 3, .message = "m"});
  ASSERT_TRUE(sent.has_value());
  EXPECT_EQ(sent->value, 0);
  EXPECT_EQ(sent->total, 3);
  EXPECT_EQ(sent->message, "m");
}

TEST(ProgressTest, AReportThatIsNoFurtherIsNotSent) {
  Progress progress;
  ASSERT_TRUE(progress.reported({.value = 2}).has_value());
  EXPECT_FALSE(progress.reported({.value = 2}).has_value());
  EXPECT_FALSE(progress.reported({.value = 1}).has_value());
  EXPECT_TRUE(progress.reported({.value = 2.5}).has_value());
}

TEST(ProgressTest, SignsOfLifeRiseAndLeaveRoomForReports) {
  Progress progress;
  ASSERT_TRUE(progress.reported({.value = 1, .total = 2}).has_value());
  double last = 1;
  for (int sign = 0; sign < 1000; ++sign) {
    const auto sent = progress.signOfLife("runs");
    ASSERT_TRUE(sent.has_value());
    EXPECT_GT(sent->value, last);
    EXPECT_EQ(sent->total, 2);
    EXPECT_EQ(sent->message, "runs");
    last = sent->value;
  }
  EXPECT_EQ(progress.reported({.value = 1.01})->value, 1.01);
}

TEST(ProgressTest, AReportBehindASignOfLifeRisesAboveIt) {
  Progress progress;
  const auto sign = progress.signOfLife("runs");
  ASSERT_TRUE(sign.has_value());
  const auto zero = progress.reported({.value = 0, .total = 8});
  ASSERT_TRUE(zero.has_value());
  EXPECT_GT(zero->value, sign->value);
  EXPECT_EQ(progress.reported({.value = 1})->value, 1);
}

TEST(ProgressTest, WhoIsDoneAndGoesOnHasNoTotal) {
  Progress progress;
  ASSERT_TRUE(progress.reported({.value = 8, .total = 8, .message = "last bits"}).has_value());
  const auto sign = progress.signOfLife("runs");
  ASSERT_TRUE(sign.has_value());
  EXPECT_GT(sign->value, 8);
  EXPECT_FALSE(sign->total.has_value());
  EXPECT_EQ(sign->message, "last bits");
}

TEST(ProgressTest, NumbersBelowZeroRiseToo) {
  Progress progress;
  ASSERT_TRUE(progress.reported({.value = -500}).has_value());
  const auto sign = progress.signOfLife("runs");
  ASSERT_TRUE(sign.has_value());
  EXPECT_GT(sign->value, -500);
  EXPECT_EQ(progress.reported({.value = -499})->value, -499);
}

TEST(ProgressTest, BeyondTheLargestNumberThereIsNone) {
  Progress progress;
  ASSERT_TRUE(progress.reported({.value = std::numeric_limits<double>::max()}).has_value());
  EXPECT_FALSE(progress.signOfLife("runs").has_value());
}

}  // namespace
}  // namespace svc::mcp
