#include "process.h"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "files.h"

namespace svc::installs {
namespace {

using ::testing::HasSubstr;

class ProcessesTest : public ::testing::Test {
 protected:
  Command shell(const std::string& script) {
    return {.argv = {"sh", "-c", script}, .directory = directory_.path()};
  }
  TempDir directory_;
  Processes processes_;
};

TEST_F(ProcessesTest, ReturnsBothStreamsAndTheExitCode) {
  const auto out = processes_.run(shell("echo out; echo err >&2; exit 3"), {});
  ASSERT_TRUE(out.ok()) << out.error().message;
  EXPECT_EQ(out.value().out, "out\n");
  EXPECT_EQ(out.value().err, "err\n");
  EXPECT_EQ(out.value().exit_code, 3);
}

TEST_F(ProcessesTest, RunsInItsDirectoryWithItsEnvironment) {
  auto command = shell("pwd; echo $GIVEN; echo ${PATH:+path}; echo ${HOME:-none}");
  command.environment = {{"GIVEN", "value"}};
  command.removed_environment = {"HOME"};
  const auto out = processes_.run(command, {});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out.value().out,
            std::filesystem::canonical(directory_.path()).string() + "\nvalue\npath\nnone\n");
}

TEST_F(ProcessesTest, HasNoInputAndNoTerminal) {
  const auto out = processes_.run(shell("cat; (: </dev/tty) 2>/dev/null || echo no terminal"), {});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out.value().out, "no terminal\n");
}

TEST_F(ProcessesTest, InheritsNothing) {
  const int open = ::dup(STDIN_FILENO);
  ASSERT_GT(open, STDERR_FILENO);
  const auto out =
      processes_.run(shell("[ -e /proc/self/fd/" + std::to_string(open) + " ] || echo closed"), {});
  ::close(open);
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out.value().out, "closed\n");
}

TEST_F(ProcessesTest, SaysThatAProgramIsMissing) {
  const auto out =
      processes_.run({.argv = {"no-such-program"}, .directory = directory_.path()}, {});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, errc::kUnavailable);
  EXPECT_THAT(out.error().message, HasSubstr("not on the PATH"));
}

TEST_F(ProcessesTest, EndsWhatRunsTooLong) {
  auto command = shell("sleep 60");
  command.timeout = std::chrono::milliseconds{50};
  const auto out = processes_.run(command, {});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, errc::kTimeout);
  EXPECT_THAT(out.error().message, HasSubstr("50 ms"));
}

TEST_F(ProcessesTest, EndsWhatWritesTooMuch) {
  auto command = shell("yes");
  command.output_limit = 1000;
  const auto out = processes_.run(command, {});
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, errc::kTooLarge);
}

TEST_F(ProcessesTest, EndsWhatWritesALargeFile) {
  const auto file = directory_.path() / "large";
  const auto ran =
      processes_.run({.argv = {"/bin/sh", "-c", "head -c 5000 /dev/zero > large && echo written"},
                      .directory = directory_.path(),
                      .file_limit = 4096},
                     {});
  ASSERT_TRUE(ran.ok());
  EXPECT_NE(ran.value().exit_code, 0);
  EXPECT_EQ(ran.value().out, "");
  EXPECT_EQ(std::filesystem::file_size(file), 4096U);
}

TEST_F(ProcessesTest, EndsWhenItIsStopped) {
  std::stop_source stop;
  stop.request_stop();
  const auto out = processes_.run(shell("sleep 60"), stop.get_token());
  ASSERT_FALSE(out.ok());
  EXPECT_EQ(out.error().code, errc::kAborted);
}

TEST_F(ProcessesTest, DoesNotWaitForWhatTheProgramLeftBehind) {
  // The background process would hold the pipes open for a minute.
  const auto out = processes_.run(shell("sleep 60 & echo done"), {});
  ASSERT_TRUE(out.ok());
  EXPECT_EQ(out.value().out, "done\n");
}

}  // namespace
}  // namespace svc::installs
