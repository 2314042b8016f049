// Starts real processes: shells that show what they were given.
#include "daemon_process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/fake_executor.h"

namespace svc::machines {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

class DaemonProcessTest : public ::testing::Test {
 protected:
  DaemonProcessTest() {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-daemon-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
  }
  ~DaemonProcessTest() override { std::filesystem::remove_all(directory_); }

  std::unique_ptr<IDaemonProcess> launch(const std::string& script, std::string key = "svce_x") {
    auto started = launcher_.launch({.argv = {"/bin/sh", "-c", script, "sh", directory_.string()},
                                     .enroll_key = std::move(key)},
                                    [this](const std::string& how) { exits_.push_back(how); });
    EXPECT_TRUE(started.ok());
    return started ? std::move(started).value() : nullptr;
  }
  /// Runs it to its end.
  void run(const std::string& script, const std::string& key = "svce_x") {
    const auto process = launch(script, key);
    ASSERT_TRUE(process->awaitExit(30s));
    // The exit is announced behind its end.
    while (exits_.empty()) {
      main_.runAll();
    }
  }
  /// A pipe with a name; reading it ends when the last process that writes to it has.
  std::string fifo(const char* name) {
    const auto path = (directory_ / name).string();
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    return path;
  }
  static std::string readAll(const std::string& path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::vector<std::string> lines() {
    const std::scoped_lock lock(mutex_);
    return lines_;
  }

  std::filesystem::path directory_;
  std::mutex mutex_;
  std::vector<std::string> lines_;
  std::vector<std::string> exits_;
  svc::test::FakeMainExecutor main_;
  DaemonLauncher launcher_{main_, [this](std::string_view line) {
                             const std::scoped_lock lock(mutex_);
                             lines_.emplace_back(line);
                           }};
};

TEST_F(DaemonProcessTest, GetsItsKeyAndThenTheEnd) {
  run("cat <&3; echo; echo end", "svce_secret");
  EXPECT_THAT(lines(), ElementsAre("svce_secret", "end"));
}

TEST_F(DaemonProcessTest, HasNoKeyOnItsCommandLine) {
  run("tr '\\0' ' ' < /proc/$$/cmdline", "svce_secret");
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_THAT(lines()[0], Not(HasSubstr("svce_")));
}

TEST_F(DaemonProcessTest, HasNoVariablesOfTheServer) {
  ::setenv("SVC_TEST_SECRET", "1", 1);   // NOLINT(concurrency-mt-unsafe)
  ::setenv("OTHER_TEST_VALUE", "1", 1);  // NOLINT(concurrency-mt-unsafe)
  run("env");
  ::unsetenv("SVC_TEST_SECRET");   // NOLINT(concurrency-mt-unsafe)
  ::unsetenv("OTHER_TEST_VALUE");  // NOLINT(concurrency-mt-unsafe)
  EXPECT_THAT(lines(), Contains("OTHER_TEST_VALUE=1"));
  for (const auto& line : lines()) {
    EXPECT_THAT(line, Not(::testing::StartsWith("SVC_")));
  }
}

TEST_F(DaemonProcessTest, HasFiveDescriptors) {
  const int opened = ::open("/dev/null", O_RDONLY);
  const int leaked = ::fcntl(opened, F_DUPFD, 50);
  ::close(opened);
  run("for each in /proc/$$/fd/*; do echo ${each##*/}; done");
  ::close(leaked);
  // The shell may keep one more for its own script.
  EXPECT_THAT(lines(), ::testing::IsSupersetOf({"0", "1", "2", "3", "4"}));
  EXPECT_LE(lines().size(), 6U);
  EXPECT_THAT(lines(), Not(Contains(std::to_string(leaked))));
}

TEST_F(DaemonProcessTest, ReadsNothing) {
  run("cat; echo end");
  EXPECT_THAT(lines(), ElementsAre("end"));
}

TEST_F(DaemonProcessTest, BothItsStreamsAreRead) {
  run("echo out; echo err >&2; printf 'no end'");
  EXPECT_THAT(lines(), ElementsAre("out", "err", "no end"));
}

TEST_F(DaemonProcessTest, SaysHowItEnded) {
  run("exit 7");
  EXPECT_THAT(exits_, ElementsAre("ended with exit status 7"));
}

TEST_F(DaemonProcessTest, SaysWhichSignalEndedIt) {
  run("kill -9 $$");
  EXPECT_THAT(exits_, ElementsAre("was ended by signal 9"));
}

TEST_F(DaemonProcessTest, LeadsAGroupOfItsOwn) {
  run("set -- $(cat /proc/$$/stat); test $1 = $5 && echo leader");
  EXPECT_THAT(lines(), ElementsAre("leader"));
}

TEST_F(DaemonProcessTest, EndsWhenAsked) {
  const auto ready = fifo("ready");
  const auto process = launch("trap 'echo bye; exit 3' TERM; echo > $1/ready; cat <&4 & wait");
  EXPECT_EQ(readAll(ready), "\n");
  process->terminate();
  ASSERT_TRUE(process->awaitExit(30s));
  EXPECT_THAT(lines(), ElementsAre("bye"));
}

TEST_F(DaemonProcessTest, NoticesThatTheServerIsGone) {
  const auto gone = fifo("gone");
  auto process = launch("cat <&4; echo gone > $1/gone");
  process.reset();
  EXPECT_EQ(readAll(gone), "gone\n");
  main_.runAll();
  EXPECT_TRUE(exits_.empty());
}

TEST_F(DaemonProcessTest, AMissingProgramIsAnError) {
  const auto failed =
      launcher_.launch({.argv = {"/none/svc-hostd"}}, [](const std::string&) { FAIL(); });
  EXPECT_EQ(failed.error().code, errc::kUnavailable);
  EXPECT_THAT(failed.error().message, HasSubstr("/none/svc-hostd"));
}

}  // namespace
}  // namespace svc::machines
