#include "stop_wish.h"

#include <gtest/gtest.h>

namespace svc::kernel {
namespace {

using Means = StopWish::Means;
using namespace std::chrono_literals;

const StopWish::Clock::time_point kStart{1h};

TEST(StopWishTest, SignalsAtTheSameTimeAreOneWish) {
  StopWish wish;
  EXPECT_EQ(wish.signal(kStart), Means::kStop);
  EXPECT_EQ(wish.signal(kStart), Means::kNothing);
  EXPECT_EQ(wish.signal(kStart + StopWish::kGrace - 1ms), Means::kNothing);
}

TEST(StopWishTest, ALaterSignalEndsAtOnce) {
  StopWish wish;
  EXPECT_EQ(wish.signal(kStart), Means::kStop);
  EXPECT_EQ(wish.signal(kStart + StopWish::kGrace), Means::kEndAtOnce);
}

TEST(StopWishTest, AKeyThatIsHeldDownEndsAtOnceInTheEnd) {
  StopWish wish;
  EXPECT_EQ(wish.signal(kStart), Means::kStop);
  auto now = kStart;
  for (; now - kStart < StopWish::kGrace - 50ms; now += 50ms) {
    EXPECT_EQ(wish.signal(now), Means::kNothing);
  }
  EXPECT_EQ(wish.signal(now + 50ms), Means::kEndAtOnce);
}

}  // namespace
}  // namespace svc::kernel
