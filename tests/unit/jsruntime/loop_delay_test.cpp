#include "loop_delay.h"

#include <gtest/gtest.h>

namespace svc::jsruntime {
namespace {

using Milliseconds = LoopDelay::Milliseconds;

TEST(LoopDelayTest, IsZeroBeforeTheFirstSample) { EXPECT_DOUBLE_EQ(LoopDelay().percentile99(), 0); }

TEST(LoopDelayTest, LeavesOutTheWorstOfAHundred) {
  LoopDelay delay;
  delay.add(Milliseconds(5000));
  EXPECT_DOUBLE_EQ(delay.percentile99(), 5000);
  for (int at = 0; at < 100; ++at) {
    delay.add(Milliseconds(2));
  }
  EXPECT_DOUBLE_EQ(delay.percentile99(), 2);
}

TEST(LoopDelayTest, ForgetsOldSamples) {
  LoopDelay delay;
  for (int at = 0; at < 10; ++at) {
    delay.add(Milliseconds(900));
  }
  for (int at = 0; at < 128; ++at) {
    delay.add(Milliseconds(1));
  }
  EXPECT_DOUBLE_EQ(delay.percentile99(), 1);
}

}  // namespace
}  // namespace svc::jsruntime
