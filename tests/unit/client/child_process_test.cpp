#include "child_process.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "interruptible_builder.h"
#include "interrupts.h"
#include "temp_tree.h"

// The header of glibc 2.36 does not declare these for C++.
extern "C" {
#include <sys/pidfd.h>
}

namespace svc::client {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

class ChildRunnerTest : public ::testing::Test {
 protected:
  Result<ChildOutcome> shell(const std::string& script) {
    return ChildRunner(-1).run({.argv = {"sh", "-c", script}, .directory = tree.path()}, {});
  }

  TempTree tree;
};

TEST_F(ChildRunnerTest, ReturnsBothStreamsInOrderAndTheExitCode) {
  const auto outcome = shell("echo one; echo two >&2; pwd; exit 7");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome.value().exit_code, 7);
  EXPECT_EQ(outcome.value().output, "one\ntwo\n" + tree.path().string() + "\n");
  EXPECT_FALSE(outcome.value().interrupted);
}

TEST_F(ChildRunnerTest, GivesNothingToRead) { EXPECT_EQ(shell("cat").value().output, ""); }

TEST_F(ChildRunnerTest, ReportsASignalAsAShellDoes) {
  EXPECT_EQ(shell("kill -TERM $$").value().exit_code, 128 + SIGTERM);
}

TEST_F(ChildRunnerTest, KeepsTheEndOfALongOutput) {
  const auto outcome = shell("i=0; while [ $i -lt 40000 ]; do echo line $i; i=$((i+1)); done");
  ASSERT_TRUE(outcome);
  EXPECT_LT(outcome.value().output.size(), 200'000U);
  EXPECT_THAT(outcome.value().output, EndsWith("line 39999\n"));
}

TEST_F(ChildRunnerTest, DoesNotWaitForWhatAChildLeavesRunning) {
  const auto outcome = shell("echo $$; sleep 300 & echo $!");
  ASSERT_TRUE(outcome);
  const auto& output = outcome.value().output;
  ::kill(std::stoi(output.substr(output.find('\n') + 1)), SIGKILL);
}

TEST_F(ChildRunnerTest, NamesAProgramThatDoesNotExist) {
  const auto outcome =
      ChildRunner(-1).run({.argv = {"no-such-program"}, .directory = tree.path()}, {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, errc::kNotFound);
  EXPECT_THAT(outcome.error().message, HasSubstr("cannot run no-such-program: No such"));
}

TEST_F(ChildRunnerTest, EndsTheChildAndWhatItStartedWhenInterrupted) {
  const Interrupts interrupts;
  // The grandchild holds the pipe that the parent of both waits on; the script itself raises the signal when both run.
  const auto outcome = ChildRunner(interrupts.descriptor())
                           .run({.argv = {"sh", "-c", "sleep 300 & echo $!; kill -INT $PPID; wait"},
                                 .directory = tree.path()},
                                {});
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome.value().interrupted);
  EXPECT_TRUE(interrupts.raised());
  // Ended: it is gone, or the descriptor of its end becomes readable.
  const int grandchild = ::pidfd_open(std::stoi(outcome.value().output), 0);
  if (grandchild >= 0) {
    pollfd entry{.fd = grandchild, .events = POLLIN, .revents = 0};
    constexpr int kDeadlineMs = 20'000;
    EXPECT_EQ(::poll(&entry, 1, kDeadlineMs), 1);
    ::close(grandchild);
  }
}

TEST(InterruptibleBuilderTest, AnInterruptEndsTheBuild) {
  const TempTree tree;
  tree.write("node", "#!/bin/sh\nkill -INT $PPID\nexec sleep 300\n");
  const auto node = tree.path() / "node";
  std::filesystem::permissions(node, std::filesystem::perms::owner_all);
  const Interrupts interrupts;
  InterruptibleBuilder builder({.node = node.string(), .toolchain = tree.path()}, interrupts);
  const auto report =
      builder.build({.root = tree.path(), .targets = {common::BuildTarget::kServer}});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, errc::kAborted);
}

TEST(InterruptsTest, CatchesBothSignalsAndPutsThemBack) {
  struct sigaction before {};
  ::sigaction(SIGTERM, nullptr, &before);
  {
    const Interrupts interrupts;
    EXPECT_FALSE(interrupts.raised());
    ::raise(SIGTERM);
    EXPECT_TRUE(interrupts.raised());
  }
  struct sigaction after {};
  ::sigaction(SIGTERM, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(InterruptsDeathTest, EndsTheProcessAtOnceWhereNobodyLooks) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        const Interrupts interrupts;
        const Interrupts::EndAtOnce end(interrupts, 0);
        ::raise(SIGINT);
        ::_exit(9);
      },
      ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        const Interrupts interrupts;
        ::raise(SIGINT);
        const Interrupts::EndAtOnce end(interrupts, 3);
        ::_exit(9);
      },
      ::testing::ExitedWithCode(3), "");
}

}  // namespace
}  // namespace svc::client
