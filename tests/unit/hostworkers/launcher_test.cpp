#include "launcher.h"

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/hosts.h"

#include "fakes/fake_clock.h"
#include "temp_directory.h"
#include "test_main.h"

namespace svc::hostworkers {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class ThreadPool final : public IWorkerPool {
 public:
  bool submit(Task job) override {
    const std::scoped_lock lock(mutex_);
    threads_.emplace_back(std::move(job));
    return true;
  }

 private:
  std::mutex mutex_;
  std::vector<std::jthread> threads_;
};

/// Workers that are shell scripts: descriptor 3 is the socket.
class LauncherTest : public ::testing::Test {
 protected:
  struct Seen {
    std::shared_ptr<IWorkerProcess> process;
    std::optional<Error> failure;
    std::vector<WorkerMessage> messages;
    std::string broken;
    std::optional<WorkerExit> exit;
  };

  void launch(const std::string& script) {
    const auto file = directory_.write("worker.sh", script);
    LauncherOptions options;
    options.program = {"/bin/sh", file.string()};
    options.shown_as = "test-worker";
    options.data = directory_.path() / "data";
    options.congested = [this] { return congested_.load(); };
    options.environment = {{"PATH", "/usr/bin:/bin"}, {"SHELL", "/bin/sh"}, {"SVC_X", "1"}};
    options.log = [this](const WorkerSpec& spec, std::vector<LogLine> lines) {
      EXPECT_EQ(spec.plugin_id, "todo");
      const std::scoped_lock lock(mutex_);
      lines_.insert(lines_.end(), lines.begin(), lines.end());
    };
    launcher_.emplace(std::move(options), MainThread{main_, main_.context()}, pool_, clock_);
    launcher_->launch({"todo", "g1", "/cache/host.mjs", 64},
                      {.messages =
                           [this](std::vector<WorkerMessage> messages) {
                             for (auto& each : messages) {
                               seen_.messages.push_back(std::move(each));
                             }
                           },
                       .broken = [this](std::string why) { seen_.broken = std::move(why); },
                       .gone = [this](const WorkerExit& exit) { seen_.exit = exit; }},
                      [this](Result<std::shared_ptr<IWorkerProcess>> process) {
                        if (process) {
                          seen_.process = process.value();
                        } else {
                          seen_.failure = process.error();
                        }
                      });
  }
  bool waitFor(std::size_t messages) {
    return main_.runUntil([&] { return seen_.messages.size() >= messages; });
  }
  bool waitForEnd() {
    return main_.runUntil([&] { return seen_.exit.has_value(); });
  }
  std::vector<LogLine> lines() {
    const std::scoped_lock lock(mutex_);
    return lines_;
  }
  /// Makes the worker say something: the name of a lease.
  static std::string say(const std::string& text) {
    return R"(printf '{"type":"lease-acquire","leaseId":"%s"}\n' ")" + text + "\" >&3\n";
  }
  /// Gone, or ended and not yet collected by whoever has adopted it.
  static bool hasEnded(pid_t pid) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
    std::string text;
    std::getline(in, text);
    const auto name = text.rfind(')');
    return name == std::string::npos || text[name + 2] == 'Z' || text[name + 2] == 'X';
  }
  static bool isGone(pid_t pid) {
    const auto until = std::chrono::steady_clock::now() + kTooLong;
    while (!hasEnded(pid) && std::chrono::steady_clock::now() < until) {
      std::this_thread::yield();
    }
    return hasEnded(pid);
  }

  test::TempDirectory directory_;
  test::FakeClock clock_;
  TestMain main_;
  std::atomic<bool> congested_{false};
  std::mutex mutex_;
  std::vector<LogLine> lines_;
  Seen seen_;
  ThreadPool pool_;
  std::optional<Launcher> launcher_;
};

TEST_F(LauncherTest, MessagesGoBothWays) {
  launch("while read -r line <&3; do " + say("$(printf %s \"$line\" | wc -c)") + "done");
  ASSERT_TRUE(main_.runUntil([&] { return seen_.process != nullptr; }));
  seen_.process->send("{}");
  ASSERT_TRUE(waitFor(1));
  EXPECT_EQ(seen_.messages[0].id, "2");
  seen_.process->send(std::string(100'000, 'x'));
  ASSERT_TRUE(waitFor(2));
  EXPECT_EQ(seen_.messages[1].id, "100000");
  seen_.process->kill();
  ASSERT_TRUE(waitForEnd());
  EXPECT_EQ(seen_.exit->signal, SIGKILL);
}

TEST_F(LauncherTest, GivesAWorkerWhatItNeedsAndNothingElse) {
  constexpr int kHigh = 50;
  const base::Fd secret(::fcntl(STDERR_FILENO, F_DUPFD, kHigh));  // not close-on-exec
  launch(
      "echo \"$@\"; env; pwd; ls -l /proc/self/fd; cat; tr '\\0' ' ' < /proc/$$/cmdline; "
      "echo\nexit 3");
  ASSERT_TRUE(waitForEnd());
  EXPECT_EQ(seen_.exit->code, 3);
  std::string all;
  for (const auto& line : lines()) {
    all += line.text + "\n";
  }
  const auto data = directory_.path() / "data";
  EXPECT_THAT(all, HasSubstr("--worker.socket=3 --worker.plugin-id=todo --worker.generation=g1 "
                             "--worker.module=/cache/host.mjs"));
  EXPECT_THAT(all, HasSubstr("--worker.data-dir=" + (data / "plugin-data/todo").string()));
  EXPECT_THAT(all, HasSubstr("--worker.heap-mb=64"));
  EXPECT_THAT(all, Not(HasSubstr("SVC_X")));
  EXPECT_THAT(all, HasSubstr("\ntest-worker " + directory_.path().string()));
  EXPECT_THAT(all, HasSubstr("0 -> /dev/null"));
  EXPECT_THAT(all, HasSubstr("3 -> socket"));
  EXPECT_THAT(all, Not(HasSubstr(" " + std::to_string(secret.get()) + " -> ")));
  EXPECT_EQ(std::filesystem::status(data / "plugin-data/todo").permissions(),
            std::filesystem::perms::owner_all);
}

TEST_F(LauncherTest, NothingOfItIsLeft) {
  launch("sleep 600 & " + say("$!") + "sleep 600 & " + say("$!") + "touch \"${9#*=}/x\"\nexit 0");
  ASSERT_TRUE(waitForEnd());
  ASSERT_THAT(seen_.messages, SizeIs(2));
  EXPECT_EQ(seen_.exit->code, 0);
  for (const auto& message : seen_.messages) {
    EXPECT_TRUE(hasEnded(std::stoi(message.id)));
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path() / "data/tmp"));
}

TEST_F(LauncherTest, WhatHasLeftItsGroupIsNotLeftEither) {
  // Its number, with a minus when it has the mark.
  const auto detached =
      "setsid sh " +
      directory_.write("x.sh", say("${SVC_LOAD_ID:+-}$$") + "exec sleep 600").string() + " &\n";
  launch(detached + "SVC_LOAD_ID= " + detached + "wait");
  ASSERT_TRUE(waitFor(2));
  seen_.process->kill();
  ASSERT_TRUE(waitForEnd());
  const auto [marked, released] =
      std::minmax({std::stoi(seen_.messages[0].id), std::stoi(seen_.messages[1].id)});
  EXPECT_TRUE(hasEnded(-marked));
  EXPECT_FALSE(hasEnded(released)) << "it was started without the mark";
  ::kill(released, SIGKILL);
}

TEST_F(LauncherTest, AKillTakesTheGroup) {
  launch("trap '' TERM; sleep 600 & " + say("$!") + "wait");
  ASSERT_TRUE(waitFor(1));
  seen_.process->kill();
  ASSERT_TRUE(waitForEnd());
  EXPECT_TRUE(isGone(std::stoi(seen_.messages[0].id)));
}

TEST_F(LauncherTest, WhatItSaidLastArrivesBeforeItsEnd) {
  launch(say("last") + "echo last words >&2\nkill -SEGV $$");
  ASSERT_TRUE(waitForEnd());
  EXPECT_THAT(seen_.messages, SizeIs(1));
  EXPECT_EQ(seen_.exit->signal, SIGSEGV);
  EXPECT_EQ(seen_.exit->last_words, "last words");
  EXPECT_THAT(lines(), ElementsAre(LogLine{true, "last words"}));
}

TEST_F(LauncherTest, AFloodIsCountedAndHoldsNothingUp) {
  launch("yes | head -n 200000; yes | head -n 100000 >&2; " + say("done"));
  ASSERT_TRUE(waitForEnd());
  EXPECT_THAT(seen_.messages, SizeIs(1));
  const auto all = lines();
  EXPECT_THAT(all, SizeIs(limits::kWorkerLogLines + 1));
  EXPECT_THAT(all.back().text, HasSubstr("… 299,000 lines dropped"));
}

TEST_F(LauncherTest, NonsenseOnTheSocketIsReported) {
  launch(say("good") + "echo nonsense >&3\nsleep 600");
  ASSERT_TRUE(main_.runUntil([&] { return !seen_.broken.empty(); }));
  EXPECT_THAT(seen_.messages, SizeIs(1));
  seen_.process->kill();
  EXPECT_TRUE(waitForEnd());
}

TEST_F(LauncherTest, AMessageWithoutEndIsReported) {
  launch("head -c " + std::to_string(limits::kIpcMessage + 1) + " /dev/zero >&3\nsleep 600");
  ASSERT_TRUE(main_.runUntil([&] { return !seen_.broken.empty(); }));
  EXPECT_THAT(seen_.broken, HasSubstr(std::to_string(limits::kIpcMessage)));
  seen_.process->kill();
  EXPECT_TRUE(waitForEnd());
}

TEST_F(LauncherTest, AWorkerThatClosesItsSocketIsReported) {
  launch("exec 3>&-\nsleep 600");
  ASSERT_TRUE(main_.runUntil([&] { return !seen_.broken.empty(); }));
  EXPECT_THAT(seen_.broken, HasSubstr("closed its socket"));
  seen_.process->kill();
  EXPECT_TRUE(waitForEnd());
}

TEST_F(LauncherTest, AWorkerWaitsWhileTheServerIsBehind) {
  constexpr std::size_t kSignals = 200;
  congested_ = true;
  launch("line=$(head -c 100000 /dev/zero | tr '\\0' x)\nfor i in $(seq " +
         std::to_string(kSignals) +
         R"(); do echo '{"type":"signal","signal":"s","payload":"'$line'"}' >&3; done
)" + say("done"));
  // So much is read ahead, then no more.
  ASSERT_TRUE(waitFor(40));
  EXPECT_FALSE(main_.runUntil([&] { return seen_.messages.size() > kSignals / 2; }, 300ms));
  congested_ = false;
  ASSERT_TRUE(waitFor(kSignals + 1));
  EXPECT_EQ(seen_.messages.back().id, "done");
  ASSERT_TRUE(waitForEnd());
}

TEST_F(LauncherTest, AWorkerIsKilledWithItsLauncher) {
  launch(say("$$") + "sleep 600");
  ASSERT_TRUE(waitFor(1));
  launcher_.reset();
  EXPECT_TRUE(isGone(std::stoi(seen_.messages[0].id)));
}

TEST_F(LauncherTest, AProgramThatIsNotThereIsAnError) {
  launch("exit 0");
  ASSERT_TRUE(waitForEnd());
  LauncherOptions options;
  options.program = {"/does/not/exist"};
  options.data = directory_.path() / "data";
  options.log = [](const WorkerSpec&, const std::vector<LogLine>&) {};
  Launcher other(std::move(options), MainThread{main_, main_.context()}, pool_, clock_);
  other.launch({"todo", "g1", "/m"}, {}, [this](Result<std::shared_ptr<IWorkerProcess>> process) {
    ASSERT_FALSE(process.ok());
    seen_.failure = process.error();
  });
  ASSERT_TRUE(main_.runUntil([&] { return seen_.failure.has_value(); }));
  EXPECT_EQ(seen_.failure->code, errc::kWorkerStartFailed);
  EXPECT_THAT(seen_.failure->message, HasSubstr("/does/not/exist"));
}

TEST_F(LauncherTest, WhatAnEarlierDaemonLeftIsRemoved) {
  const auto left = directory_.path() / "data/tmp/worker-old/tmp";
  std::filesystem::create_directories(left);
  const auto others = directory_.write("data/tmp/other", "stays");
  launch("exit 0");
  ASSERT_TRUE(waitForEnd());
  launcher_.reset();
  const auto until = std::chrono::steady_clock::now() + kTooLong;
  while (std::filesystem::exists(left) && std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
  EXPECT_FALSE(std::filesystem::exists(left.parent_path()));
  EXPECT_TRUE(std::filesystem::exists(others));
}

}  // namespace
}  // namespace svc::hostworkers
