#include "svc/kernel/thread_bound.h"

#include <thread>

#include <gtest/gtest.h>

namespace svc {
namespace {

TEST(ThreadBoundTest, TheFirstUseBindsIt) {
  const ThreadBound bound;
  std::thread([&bound] {
    bound.check();
    bound.check();
  }).join();
  const ThreadBound another(bound);
  another.check();
}

#ifndef NDEBUG
TEST(ThreadBoundDeathTest, AnotherThreadIsAMistake) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const ThreadBound bound;
  bound.check();
  EXPECT_DEATH(std::thread([&bound] { bound.check(); }).join(), "owner == self");
}
#endif

}  // namespace
}  // namespace svc
