#include "local_daemon.h"

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include "fakes/fake_clock.h"
#include "fakes/fake_executor.h"

namespace svc::machines {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// Daemons that end when the test says so.
class FakeLauncher final : public IDaemonLauncher {
 public:
  class Process final : public IDaemonProcess {
   public:
    explicit Process(FakeLauncher& launcher) : launcher_(launcher) { ++launcher_.running; }
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process() override { --launcher_.running; }
    void terminate() override { launcher_.signals.emplace_back("TERM"); }
    bool awaitExit(std::chrono::milliseconds) override { return launcher_.ends_in_time; }

   private:
    FakeLauncher& launcher_;
  };

  Result<std::unique_ptr<IDaemonProcess>> launch(const DaemonCommand& command,
                                                 DaemonExit on_exit) override {
    if (broken) {
      return *broken;
    }
    commands.push_back(command);
    exit = std::move(on_exit);
    return std::unique_ptr<IDaemonProcess>(std::make_unique<Process>(*this));
  }

  std::vector<DaemonCommand> commands;
  std::vector<std::string> signals;
  std::optional<Error> broken;
  DaemonExit exit;
  int running = 0;
  bool ends_in_time = true;
};

class LocalDaemonTest : public ::testing::Test {
 protected:
  void run(std::chrono::milliseconds time) {
    clock_.advance(time);
    main_.advance(time);
  }
  void end(const std::string& how = "ended with exit status 1") {
    const auto exit = launcher_.exit;
    exit(how);
  }
  std::string logged() {
    log_->flush();
    return log_text_.str();
  }

  svc::test::FakeClock clock_;
  svc::test::FakeMainExecutor main_;
  FakeLauncher launcher_;
  std::vector<std::string> notes_;
  int keys_ = 0;
  std::optional<Error> no_key_;
  std::string url_ = "http://127.0.0.1:4700";
  std::ostringstream log_text_;
  std::shared_ptr<spdlog::logger> log_ = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log_text_));
  LocalDaemonSettings settings_{
      .executable = "/bin/sh",
      .data_directory = [] { return std::filesystem::path("/data/hostd"); },
      .server_url = [this] { return url_; },
      .enroll_key = [this]() -> Result<std::string> {
        return no_key_ ? Result<std::string>(*no_key_)
                       : Result<std::string>("svce_" + std::to_string(++keys_));
      },
      .note = [this](std::string note) { notes_.push_back(std::move(note)); }};
  LocalDaemon daemon_{launcher_, main_, clock_, settings_, log_};
};

TEST_F(LocalDaemonTest, StartsOneThatKnowsItsServer) {
  daemon_.start();
  ASSERT_EQ(launcher_.commands.size(), 1U);
  EXPECT_THAT(
      launcher_.commands[0].argv,
      ElementsAre("/bin/sh", "--data-dir", "/data/hostd", "--server", "http://127.0.0.1:4700",
                  "--local", "--enroll-fd", "3", "--parent-fd", "4"));
  EXPECT_EQ(launcher_.commands[0].enroll_key, "svce_1");
  EXPECT_THAT(notes_, ElementsAre(""));
}

TEST_F(LocalDaemonTest, AMissingProgramIsOneWarning) {
  settings_.executable = "/none/svc-hostd";
  LocalDaemon daemon(launcher_, main_, clock_, settings_, log_);
  daemon.start();
  EXPECT_EQ(launcher_.commands.size(), 0U);
  EXPECT_EQ(main_.pendingTimers(), 0U);
  EXPECT_THAT(logged(), HasSubstr("/none/svc-hostd is not there"));
  ASSERT_EQ(notes_.size(), 1U);
  EXPECT_THAT(notes_[0], HasSubstr("hosts.local"));
  bool stopped = false;
  daemon.stop(1s, [&](const Status&) { stopped = true; });
  EXPECT_TRUE(stopped);
}

TEST_F(LocalDaemonTest, StartsAgainWithAnotherKeyAndTheAddressOfNow) {
  daemon_.start();
  url_ = "http://127.0.0.1:9";
  end();
  EXPECT_EQ(launcher_.running, 0);
  EXPECT_THAT(notes_.back(), HasSubstr("ended with exit status 1"));
  run(999ms);
  EXPECT_EQ(launcher_.commands.size(), 1U);
  run(1ms);
  ASSERT_EQ(launcher_.commands.size(), 2U);
  EXPECT_EQ(launcher_.commands[1].enroll_key, "svce_2");
  EXPECT_EQ(launcher_.commands[1].argv[4], "http://127.0.0.1:9");
  EXPECT_EQ(notes_.back(), "");
}

TEST_F(LocalDaemonTest, WaitsLongerEachTimeUpToAMinute) {
  daemon_.start();
  std::vector<long> pauses;
  for (int count = 0; count < 8; ++count) {
    end();
    const auto before = launcher_.commands.size();
    long pause = 0;
    while (launcher_.commands.size() == before) {
      run(1s);
      ++pause;
    }
    pauses.push_back(pause);
  }
  EXPECT_THAT(pauses, ElementsAre(1, 2, 4, 8, 16, 32, 60, 60));
}

TEST_F(LocalDaemonTest, OneThatRanWellIsStartedQuicklyAgain) {
  daemon_.start();
  for (int count = 0; count < 4; ++count) {
    end();
    run(60s);
  }
  run(5min);
  end();
  const auto before = launcher_.commands.size();
  run(1s);
  EXPECT_EQ(launcher_.commands.size(), before + 1);
}

TEST_F(LocalDaemonTest, TriesAgainWhenItCannotBeStarted) {
  launcher_.broken = Error{errc::kUnavailable, "no memory"};
  daemon_.start();
  EXPECT_THAT(notes_.back(), HasSubstr("could not be started: no memory"));
  launcher_.broken.reset();
  no_key_ = Error{errc::kUnavailable, "disk full"};
  run(1s);
  EXPECT_THAT(notes_.back(), HasSubstr("could not be enrolled: disk full"));
  no_key_.reset();
  run(2s);
  EXPECT_EQ(launcher_.commands.size(), 1U);
}

TEST_F(LocalDaemonTest, StopsOne) {
  daemon_.start();
  bool stopped = false;
  daemon_.stop(1s, [&](const Status&) { stopped = true; });
  EXPECT_THAT(launcher_.signals, ElementsAre("TERM"));
  EXPECT_FALSE(stopped);
  end("ended with exit status 0");
  EXPECT_TRUE(stopped);
  run(2min);
  EXPECT_EQ(launcher_.commands.size(), 1U);
  EXPECT_THAT(launcher_.signals, ElementsAre("TERM"));
}

TEST_F(LocalDaemonTest, DoesNotKeepTheServerFromStopping) {
  daemon_.start();
  int answers = 0;
  daemon_.stop(1s, [&](const Status&) { ++answers; });
  run(999ms);
  EXPECT_EQ(answers, 0);
  run(1ms);
  EXPECT_EQ(answers, 1);
  end();
  EXPECT_EQ(answers, 1);
  EXPECT_EQ(main_.pendingTimers(), 0U);
}

TEST_F(LocalDaemonTest, StopsBetweenTwoTries) {
  daemon_.start();
  end();
  bool stopped = false;
  daemon_.stop(1s, [&](const Status&) { stopped = true; });
  EXPECT_TRUE(stopped);
  run(2min);
  EXPECT_EQ(launcher_.commands.size(), 1U);
}

TEST_F(LocalDaemonTest, LeavesOneThatNeedsLongerThanTheServer) {
  daemon_.start();
  daemon_.stop(1s, [](const Status&) {});
  launcher_.ends_in_time = false;
  daemon_.release(1s);
  EXPECT_EQ(launcher_.running, 0);
  EXPECT_THAT(logged(), HasSubstr("ends by itself"));
}

}  // namespace
}  // namespace svc::machines
