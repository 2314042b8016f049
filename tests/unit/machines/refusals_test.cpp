#include "refusals.h"

#include <gtest/gtest.h>

#include "fakes/fake_clock.h"

namespace svc::machines {
namespace {

using namespace std::chrono_literals;

class RefusalsTest : public ::testing::Test {
 protected:
  svc::test::FakeClock clock_;
  Refusals refusals_{clock_};
};

TEST_F(RefusalsTest, AKeyIsLoggedOnce) {
  EXPECT_TRUE(refusals_.note("10.0.0.1", "a").log);
  EXPECT_FALSE(refusals_.note("10.0.0.1", "a").log);
  EXPECT_FALSE(refusals_.note("10.0.0.2", "a").log);
  EXPECT_TRUE(refusals_.note("10.0.0.1", "b").log);
}

TEST_F(RefusalsTest, APeerHasTenAMinute) {
  for (int count = 0; count < Refusals::kPerMinute; ++count) {
    EXPECT_FALSE(refusals_.note("10.0.0.1", std::to_string(count)).too_many);
  }
  const auto first = refusals_.note("10.0.0.1", "x");
  EXPECT_TRUE(first.too_many);
  EXPECT_TRUE(first.log);
  const auto more = refusals_.note("10.0.0.1", "y");
  EXPECT_TRUE(more.too_many);
  EXPECT_FALSE(more.log);
  EXPECT_FALSE(refusals_.note("10.0.0.2", "z").too_many);
  clock_.advance(1min);
  EXPECT_FALSE(refusals_.note("10.0.0.1", "x").too_many);
}

TEST_F(RefusalsTest, ForgetsRatherThanGrows) {
  for (int peer = 0; peer < 5000; ++peer) {
    EXPECT_FALSE(refusals_.note(std::to_string(peer), std::to_string(peer)).too_many);
  }
}

}  // namespace
}  // namespace svc::machines
