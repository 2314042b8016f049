#include "signals.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <future>

#include <gtest/gtest.h>

namespace svc::kernel {
namespace {

/// Puts the mask of the thread back: Signals blocks what it waits for.
class SignalsTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, nullptr, &before_), 0); }
  void TearDown() override { ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before_, nullptr), 0); }

  sigset_t before_{};
};

TEST_F(SignalsTest, HandsOnWhatItWatches) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGXCPU}) {
    std::promise<int> told;
    const Signals signals([&told](int signal) { told.set_value(signal); });
    ASSERT_EQ(::kill(::getpid(), number), 0);
    EXPECT_EQ(told.get_future().get(), number);
  }
}

TEST_F(SignalsTest, GoesOnAfterASignalThatMeansNothing) {
  std::promise<int> told;
  const Signals signals([&told](int signal) { told.set_value(signal); });
  // Pending signals are taken in the order of their numbers: these come before SIGTERM.
  ASSERT_EQ(::kill(::getpid(), SIGUSR1), 0);
  ASSERT_EQ(::kill(::getpid(), SIGUSR2), 0);
  ASSERT_EQ(::kill(::getpid(), SIGTERM), 0);
  EXPECT_EQ(told.get_future().get(), SIGTERM);
}

TEST_F(SignalsTest, EndsWithoutASignal) {
  const Signals signals([](int /*signal*/) { FAIL() << "nobody sent one"; });
}

}  // namespace
}  // namespace svc::kernel
