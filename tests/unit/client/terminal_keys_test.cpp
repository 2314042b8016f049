#include "terminal_keys.h"

#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include <gtest/gtest.h>

#include "svc/base/fd.h"
#include "svc/base/pty.h"

#include "interrupts.h"

namespace svc::client {
namespace {

class TerminalKeysTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = base::openPty({.rows = 24, .columns = 80});
    ASSERT_TRUE(made.ok());
    pty = std::move(made).value();
  }
  [[nodiscard]] int terminal() const { return pty.there.get(); }
  [[nodiscard]] bool givesKeys() const {
    termios now{};
    EXPECT_EQ(::tcgetattr(terminal(), &now), 0);
    return (now.c_lflag & (ICANON | ECHO)) == 0;
  }
  /// As a shell starts a job: a process in a group of its own.
  static pid_t start(const std::function<void()>& work) {
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::setpgid(0, 0);
      // Who runs the tests in the background has it ignored.
      ::signal(SIGQUIT, SIG_DFL);
      work();
      ::_exit(0);
    }
    return pid;
  }
  static int awaitChange(pid_t pid) {
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
    return status;
  }
  void type(const std::string& keys) const { EXPECT_TRUE(base::writeAll(pty.here.get(), keys)); }

  base::Pty pty;
};

TEST_F(TerminalKeysTest, GivesKeysWithoutALineAndLeavesSignalKeysAlone) {
  TerminalKeys keys(terminal());
  EXPECT_TRUE(givesKeys());
  termios now{};
  ASSERT_EQ(::tcgetattr(terminal(), &now), 0);
  EXPECT_NE(now.c_lflag & ISIG, 0U);
  EXPECT_NE(now.c_oflag & OPOST, 0U);
  EXPECT_EQ(keys.descriptor(), terminal());
  type("lq");
  EXPECT_EQ(keys.take(), "lq");
}

TEST_F(TerminalKeysTest, AnArrowIsNoLetter) {
  TerminalKeys keys(terminal());
  type("\x1b[Al");
  EXPECT_EQ(keys.take(), "");
}

TEST_F(TerminalKeysTest, TheTerminalIsAsBeforeAfterwards) {
  { const TerminalKeys keys(terminal()); }
  EXPECT_FALSE(givesKeys());
}

TEST_F(TerminalKeysTest, ATerminalThatIsGoneGivesNoKeys) {
  TerminalKeys keys(terminal());
  pty.here.reset();
  EXPECT_EQ(keys.take(), "");
  EXPECT_EQ(keys.descriptor(), -1);
}

TEST_F(TerminalKeysTest, ASignalThatEndsTheProcessLeavesTheTerminalAsItWas) {
  for (const int signal : {SIGHUP, SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    const auto pid = start([&] {
      const TerminalKeys keys(terminal());
      if (givesKeys()) {
        ::raise(signal);
      }
    });
    const int status = awaitChange(pid);
    EXPECT_FALSE(givesKeys()) << signal;
    EXPECT_TRUE(!WIFEXITED(status) || WEXITSTATUS(status) != 0) << signal;
  }
}

TEST_F(TerminalKeysTest, AnEndInTheMiddleOfARequestLeavesTheTerminalAsItWas) {
  const auto pid = start([&] {
    const Interrupts interrupts;
    const TerminalKeys keys(terminal());
    const Interrupts::EndAtOnce end(interrupts, 7);
    ::raise(SIGINT);
  });
  EXPECT_EQ(WEXITSTATUS(awaitChange(pid)), 7);
  EXPECT_FALSE(givesKeys());
}

TEST_F(TerminalKeysTest, ASignalBeforeARequestLeavesTheTerminalAsItWas) {
  const auto pid = start([&] {
    const Interrupts interrupts;
    const TerminalKeys keys(terminal());
    ::raise(SIGTERM);
    const Interrupts::EndAtOnce end(interrupts, 7);
  });
  EXPECT_EQ(WEXITSTATUS(awaitChange(pid)), 7);
  EXPECT_FALSE(givesKeys());
}

TEST_F(TerminalKeysTest, AStoppedProcessGivesTheTerminalBackAndTakesItAgain) {
  auto told = base::makePipe();
  ASSERT_TRUE(told.ok());
  const auto pid = start([&] {
    const TerminalKeys keys(terminal());
    ::raise(SIGTSTP);
    // Goes on here.
    const bool takes = givesKeys();
    static_cast<void>(base::writeAll(told.value().write.get(), takes ? "y" : "n"));
    ::raise(SIGTSTP);
  });
  EXPECT_TRUE(WIFSTOPPED(awaitChange(pid)));
  EXPECT_FALSE(givesKeys());
  ::kill(pid, SIGCONT);
  char answer = 0;
  EXPECT_EQ(base::readSome(told.value().read.get(), &answer, 1), 1);
  EXPECT_EQ(answer, 'y');
  EXPECT_TRUE(WIFSTOPPED(awaitChange(pid)));
  EXPECT_FALSE(givesKeys());
  ::kill(pid, SIGCONT);
  EXPECT_TRUE(WIFEXITED(awaitChange(pid)));
  EXPECT_FALSE(givesKeys());
}

TEST_F(TerminalKeysTest, WhatIsIgnoredStaysIgnored) {
  const auto pid = start([&] {
    ::signal(SIGHUP, SIG_IGN);
    const TerminalKeys keys(terminal());
    ::raise(SIGHUP);
    ::_exit(5);
  });
  EXPECT_EQ(WEXITSTATUS(awaitChange(pid)), 5);
}

}  // namespace
}  // namespace svc::client
