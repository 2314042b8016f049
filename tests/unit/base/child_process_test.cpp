#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <optional>
#include <utility>

#include <gmock/gmock.h>

#include "svc/base/spawn.h"

namespace svc::base {
namespace {

using namespace std::chrono_literals;

/// Only ends a test that has failed.
constexpr auto kDeadline = 20s;

/// A shell, and a process it has started, of which the pipe tells the number once both run.
class ChildProcessTest : public ::testing::Test {
 protected:
  void start(const std::string& script) {
    auto out = makePipe();
    auto child = spawn({.argv = {"/bin/sh", "-c", script}, .out = out.value().write.get()});
    ASSERT_TRUE(child.ok()) << child.error().message;
    child_ = std::move(child).value();
    out.value().write.reset();
    std::string said(32, '\0');
    const auto count = readSome(out.value().read.get(), said.data(), said.size());
    ASSERT_GT(count, 0);
    grandchild_.reset(static_cast<int>(::syscall(SYS_pidfd_open, std::stoi(said), 0)));
    ASSERT_TRUE(grandchild_);
  }
  bool grandchildEnds() const {
    pollfd ended{.fd = grandchild_.get(), .events = POLLIN, .revents = 0};
    return ::poll(&ended, 1, std::chrono::milliseconds(kDeadline).count()) > 0;
  }

  std::optional<ChildProcess> child_;
  Fd grandchild_;
};

ChildProcess started(const std::string& script) {
  return std::move(spawn({.argv = {"/bin/sh", "-c", script}}).value());
}

TEST(ExitStatusTest, IsSaidAsShellsSayIt) {
  auto child = started("exit 7");
  const auto left = child.reap();
  EXPECT_EQ(left.shellCode(), 7);
  EXPECT_EQ(left.text(), "ended with exit status 7");
  child = started("kill -9 $$");
  const auto killed = child.reap();
  EXPECT_EQ(killed.signal, SIGKILL);
  EXPECT_EQ(killed.shellCode(), 137);
  EXPECT_EQ(killed.text(), "was ended by signal 9");
  EXPECT_FALSE(child);
}

TEST_F(ChildProcessTest, TerminatingEndsWhatItHasStartedToo) {
  start("sleep 600 & echo $!; wait");
  EXPECT_EQ(child_->terminate(kDeadline).signal, SIGTERM);
  EXPECT_TRUE(grandchildEnds());
}

TEST_F(ChildProcessTest, WhoDoesNotListenIsKilled) {
  start("trap '' TERM; sleep 600 & echo $!; wait; wait");
  EXPECT_EQ(child_->terminate(1ms).signal, SIGKILL);
  EXPECT_TRUE(grandchildEnds());
}

TEST_F(ChildProcessTest, ADescendantThatOutlivesItIsKilled) {
  start("(trap '' TERM; echo started >&2; exec sleep 600) & echo $!");
  EXPECT_TRUE(child_->awaitEnd(kDeadline));
  EXPECT_TRUE(child_->terminate(kDeadline).ok());
  EXPECT_TRUE(grandchildEnds());
}

TEST_F(ChildProcessTest, LettingGoEndsTheGroup) {
  start("sleep 600 & echo $!; wait");
  child_.reset();
  EXPECT_TRUE(grandchildEnds());
}

TEST_F(ChildProcessTest, WhatIsReleasedGoesOn) {
  start("sleep 600 & echo $!; wait");
  auto released = child_->release();
  child_.reset();
  EXPECT_EQ(::kill(released.pid, 0), 0);
  EXPECT_TRUE(ChildProcess(released.pid, std::move(released.ended), true).awaitEnd(0ms) == false);
  EXPECT_TRUE(grandchildEnds());
}

TEST(ChildProcessWaitTest, IsBounded) {
  const auto child = started("sleep 600");
  EXPECT_FALSE(child.awaitEnd(1ms));
  child.signal(SIGTERM);
  EXPECT_TRUE(child.awaitEnd(kDeadline));
}

TEST(ChildProcessWaitTest, SignalsAfterItsEndReachNobody) {
  auto child = started("true");
  child.reap();
  child.signal(SIGKILL);
  child.signalGroup(SIGKILL);
}

}  // namespace
}  // namespace svc::base
