#include "svc/base/pty.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string>

#include <gmock/gmock.h>

#include "svc/base/spawn.h"

namespace svc::base {
namespace {

using ::testing::HasSubstr;

/// A shell at a terminal of its own.
struct AtTerminal {
  explicit AtTerminal(const std::string& script) {
    auto made = openPty({.rows = 30, .columns = 100});
    EXPECT_TRUE(made.ok());
    pty = std::move(made).value();
    auto started = spawn({.argv = {"/bin/sh", "-c", script},
                          .in = pty.there.get(),
                          .out = pty.there.get(),
                          .err = pty.there.get(),
                          .group = ProcessGroup::kSession,
                          .controls_terminal = true});
    EXPECT_TRUE(started.ok()) << started.error().message;
    child = std::move(started).value();
    pty.there.reset();
  }
  /// Until the text has come, or all ends are closed there.
  std::string readUntil(const std::string& text) const {
    std::string all;
    std::array<char, 4096> part{};
    while (text.empty() || all.find(text) == std::string::npos) {
      pollfd readable{.fd = pty.here.get(), .events = POLLIN, .revents = 0};
      ::poll(&readable, 1, -1);
      const auto count = readSome(pty.here.get(), part.data(), part.size());
      if (count <= 0) {
        break;
      }
      all.append(part.data(), static_cast<std::size_t>(count));
    }
    return all;
  }

  Pty pty;
  ChildProcess child;
};

TEST(PtyTest, AProgramHasItAsItsTerminal) {
  AtTerminal shell("test -t 0 && test -t 1 && tty && stty size </dev/tty");
  const auto text = shell.readUntil({});
  EXPECT_THAT(text, HasSubstr("/dev/pts/"));
  EXPECT_THAT(text, HasSubstr("30 100"));
  EXPECT_TRUE(shell.child.reap().ok());
}

TEST(PtyTest, TheProgramHearsOfAnotherSize) {
  AtTerminal shell("trap 'stty size; exit' WINCH; echo waits; while :; do sleep 0.01; done");
  EXPECT_THAT(shell.readUntil("waits"), HasSubstr("waits"));
  ASSERT_TRUE(resizePty(shell.pty.here.get(), {.rows = 7, .columns = 9}).ok());
  EXPECT_THAT(shell.readUntil("7 9"), HasSubstr("7 9"));
}

TEST(PtyTest, KeysReachTheProgramAndItsInterruptIsASignal) {
  AtTerminal program("exec cat");
  ASSERT_TRUE(writeAll(program.pty.here.get(), "hello\n"));
  EXPECT_THAT(program.readUntil("hello\r\nhello"), HasSubstr("hello\r\nhello")) << "it runs";
  ASSERT_TRUE(writeAll(program.pty.here.get(), "\x03"));
  EXPECT_EQ(program.child.reap().signal, SIGINT);
}

TEST(PtyTest, ThisProcessGetsNoTerminalByIt) {
  const auto before = ::tcgetpgrp(STDIN_FILENO);
  const auto pty = openPty({.rows = 1, .columns = 1});
  ASSERT_TRUE(pty.ok());
  EXPECT_EQ(::tcgetpgrp(STDIN_FILENO), before);
  std::array<char, 1> none{};
  EXPECT_EQ(::read(pty.value().here.get(), none.data(), none.size()), -1);
  EXPECT_EQ(errno, EAGAIN) << "reading does not wait";
}

}  // namespace
}  // namespace svc::base
