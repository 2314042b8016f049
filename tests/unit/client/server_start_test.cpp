#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "svc/base/spawn.h"

#include "client_fixture.h"
#include "commands/commands.h"
#include "exit_code.h"
#include "processes.h"

namespace svc::client {
namespace {

using ::testing::HasSubstr;

/// A data directory whose lock somebody holds and whose server.json names an address.
class ServerStartTest : public ClientTest {
 protected:
  void SetUp() override {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-start-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    directory_ = pattern;
    lock_ = ::open((directory_ / "server.lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::write(lock_, "4711\n", 5), 5);
    ASSERT_EQ(::flock(lock_, LOCK_EX | LOCK_NB), 0);
  }
  void TearDown() override {
    release();
    std::filesystem::remove_all(directory_);
  }
  void publish() const {
    std::ofstream(directory_ / "server.json") << R"({"pid":4711,"url":"http://127.0.0.1:4700"})";
  }
  void release() {
    if (lock_ >= 0) {
      ::close(lock_);
      lock_ = -1;
    }
  }
  /// The lock names that process from now on.
  void name(int pid) const {
    ASSERT_EQ(::ftruncate(lock_, 0), 0);
    const auto text = std::to_string(pid) + "\n";
    ASSERT_EQ(::pwrite(lock_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  }
  /// Runs `svc server start`; the server ends at the pause with this number.
  int start(std::size_t ends_at = 0, const std::vector<std::string>& words = {}) {
    auto made = context();
    made.choice.data_dir = directory_.string();
    made.sleep = [this, ends_at](std::chrono::milliseconds time) {
      pauses.push_back(time.count());
      if (pauses.size() == ends_at) {
        release();
      }
    };
    return serverStart(made, words);
  }
  void expectReadyz(Result<HttpResponse> answer) { expect("GET", "/readyz", std::move(answer)); }

  std::filesystem::path directory_;
  int lock_ = -1;
};

TEST_F(ServerStartTest, SaysThatOneRunsThatAnswers) {
  publish();
  expectReadyz(HttpResponse{200, "{}"});
  EXPECT_EQ(start(), 0);
  EXPECT_EQ(out.str(), "svcd already runs at http://127.0.0.1:4700 (pid 4711)\n");
  EXPECT_TRUE(pauses.empty());
}

TEST_F(ServerStartTest, SaysWhichFlagsTheRunningOneDoesNotHave) {
  publish();
  expectReadyz(HttpResponse{200, "{}"});
  EXPECT_EQ(start(0, {"--listen", "127.0.0.1:0", "--log.level=debug"}), 1);
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(),
            "svc: svcd already runs at http://127.0.0.1:4700 (pid 4711), and "
            "--listen=127.0.0.1:0 --log.level=debug took no effect\n"
            "hint: `svc server restart --listen=127.0.0.1:0 --log.level=debug` starts it with "
            "that\n");
}

TEST_F(ServerStartTest, TakesTheDataDirectoryAlsoBehindTheCommand) {
  publish();
  expectReadyz(HttpResponse{200, "{}"});
  auto made = context();
  made.choice.data_dir = "/elsewhere";
  EXPECT_EQ(serverStart(made, {"--data-dir", directory_.string()}), 0);
  EXPECT_EQ(out.str(), "svcd already runs at http://127.0.0.1:4700 (pid 4711)\n");
}

TEST_F(ServerStartTest, WaitsForOneThatIsEndingAndStartsThen) {
  publish();
  expectReadyz(HttpResponse{503, "{}"});
  expectReadyz(Error{errc::kUnavailable, "connection refused"});
  EXPECT_EQ(start(2), 1);
  // It went on to start one, and this directory has no program for that.
  EXPECT_THAT(err.str(), HasSubstr("there is no svcd beside this program"));
  EXPECT_EQ(out.str(), "");
}

TEST_F(ServerStartTest, OneThatNeverBecomesReadyRunsAllTheSame) {
  publish();
  EXPECT_CALL(*http, send).WillRepeatedly(::testing::Return(HttpResponse{503, "{}"}));
  EXPECT_EQ(start(), 0);
  EXPECT_THAT(out.str(), HasSubstr("already runs"));
}

TEST_F(ServerStartTest, OneThatNobodyCanReachIsNoSuccess) {
  EXPECT_EQ(start(), 1);
  EXPECT_THAT(err.str(), HasSubstr("a server (pid 4711) has the data directory, but has not"));
}

TEST_F(ServerStartTest, AServerThatHasAnotherNumberHereIsNotSignalled) {
  // As a server in a container: its number is somebody else's here.
  auto other = base::spawn({.argv = {"sleep", "60"}});
  ASSERT_TRUE(other.ok());
  const int pid = other.value().pid();
  name(pid);
  auto made = context();
  made.choice.data_dir = directory_.string();
  EXPECT_EQ(serverStop(made), kExitRefused);
  EXPECT_EQ(serverRestart(made, {}), kExitRefused);
  EXPECT_THAT(err.str(), HasSubstr("the server of " + directory_.string() +
                                   " calls itself process " + std::to_string(pid) +
                                   ", and that is another one here, or none: it runs "
                                   "in a container"));
  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(::kill(pid, 0), 0);
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), 0) << "it lives";
}

TEST_F(ServerStartTest, AHolderIsWhoHasTheLockOrTheDirectoryOpen) {
  name(::getpid());
  EXPECT_TRUE(checkHolder(::getpid(), directory_).ok());
  const auto child = base::spawn({.argv = {"sleep", "60"}});
  ASSERT_TRUE(child.ok());
  name(child.value().pid());
  EXPECT_FALSE(checkHolder(child.value().pid(), directory_).ok());
  release();
  EXPECT_TRUE(checkHolder(child.value().pid(), directory_).ok()) << "it has ended meanwhile";
}

TEST_F(ServerStartTest, RootDoesNotRestartTheServerOfAnotherUser) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root may signal others";
  }
  // A process of another user that has the lock.
  const auto holder = base::spawn(
      {.argv = {"setpriv", "--reuid=54321", "--clear-groups", "sleep", "60"}, .in = lock_});
  ASSERT_TRUE(holder.ok());
  const int pid = holder.value().pid();
  name(pid);
  struct stat process {};
  while (::stat(("/proc/" + std::to_string(pid)).c_str(), &process) == 0 && process.st_uid == 0) {
    ::sched_yield();
  }
  auto made = context();
  made.choice.data_dir = directory_.string();
  EXPECT_EQ(serverRestart(made, {}), kExitRefused);
  EXPECT_THAT(err.str(),
              HasSubstr("that server runs as the user '#54321': run `sudo -u '#54321' -H "
                        "svc server restart`"));
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), 0) << "it lives";
}

TEST_F(ServerStartTest, RootStartsNoServerInTheHomeOfAnotherUser) {
  if (::geteuid() != 0) {
    GTEST_SKIP() << "only root can be another user";
  }
  ASSERT_EQ(::chown(directory_.c_str(), 54321, 54321), 0);
  auto made = context();
  made.environment.home = directory_;
  made.environment.program_dir = directory_;
  std::ofstream(directory_ / "svcd") << "not run";
  EXPECT_EQ(serverStart(made, {}), 1);
  EXPECT_THAT(err.str(), HasSubstr(directory_.string() + " (HOME) belongs to the user '#54321'"));
  EXPECT_FALSE(std::filesystem::exists(directory_ / ".local"));
}

}  // namespace
}  // namespace svc::client
