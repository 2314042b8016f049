#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "force_exit.h"
#include "kernel.h"

namespace svc::kernel {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

class LifecycleTest : public testing::Test {
 protected:
  LifecycleTest() {
    std::filesystem::create_directories(root_);
    ::setenv("FIXTURE_JOURNAL", (root_ / "journal").c_str(), 1);
  }
  ~LifecycleTest() override { std::filesystem::remove_all(root_); }

  KernelOptions options(std::vector<std::string> modules) {
    KernelOptions made;
    made.program = "testd";
    made.version = "1.2.3";
    made.paths = {root_ / "data", root_ / "config", root_, root_};
    made.module_directories = {FIXTURE_DIR};
    made.default_modules = std::move(modules);
    made.config.file_name = "config.json";
    made.config.flags = {{"log.level", "off"}};
    made.drain_limit = 100ms;
    made.stop_limit = 200ms;
    return made;
  }

  std::vector<std::string> journal() const {
    std::ifstream in(root_ / "journal");
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
      lines.push_back(line);
    }
    return lines;
  }

  /// Loads, starts, and runs until the shutdown that is already requested.
  static Status runOnce(Kernel& kernel) {
    if (auto status = kernel.load(); !status) {
      return status;
    }
    if (auto status = kernel.start(); !status) {
      return status;
    }
    kernel.requestShutdown("test");
    kernel.run();
    return {};
  }

  std::filesystem::path root_ =
      std::filesystem::path(testing::TempDir()) / ("kernel" + std::to_string(::getpid()));
};

TEST_F(LifecycleTest, OtherUsersAreKeptOutOfADataDirectoryThatIsThere) {
  namespace fs = std::filesystem;
  const auto data = root_ / "data";
  const auto logs = data / "logs";
  const auto open = fs::perms::owner_all | fs::perms::group_read | fs::perms::others_exec;
  fs::create_directories(logs);
  std::ofstream(data / "server.lock") << "";
  for (const auto& directory : {data, logs}) {
    fs::permissions(directory, open);
  }
  Kernel kernel(options({"plain"}));
  ASSERT_TRUE(runOnce(kernel).ok());
  EXPECT_EQ(fs::status(data).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(logs).permissions(), fs::perms::owner_all);
}

TEST_F(LifecycleTest, ADirectoryOfSomethingElseKeepsItsModeAndIsRefused) {
  namespace fs = std::filesystem;
  const auto data = root_ / "data";
  const auto open = fs::perms::owner_all | fs::perms::others_read;
  fs::create_directories(data);
  std::ofstream(data / "letters.txt") << "dear";
  fs::permissions(data, open);
  Kernel kernel(options({"plain"}));
  const auto status = runOnce(kernel);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, AllOf(HasSubstr(data.string()), HasSubstr("chmod 700")));
  EXPECT_EQ(fs::status(data).permissions(), open);
}

TEST_F(LifecycleTest, AVolumeThatWasJustMadeBecomesADataDirectory) {
  namespace fs = std::filesystem;
  const auto data = root_ / "data";
  fs::create_directories(data / "lost+found");
  fs::permissions(data, fs::perms::owner_all | fs::perms::others_read);
  Kernel kernel(options({"plain"}));
  ASSERT_TRUE(runOnce(kernel).ok());
  EXPECT_EQ(fs::status(data).permissions(), fs::perms::owner_all);
}

TEST_F(LifecycleTest, RestoredDataIsClosedToOtherUsers) {
  namespace fs = std::filesystem;
  const auto data = root_ / "data";
  const auto restored = root_ / "data.restore";
  fs::create_directories(data);
  fs::create_directories(restored);
  std::ofstream(restored / "restored by hand") << "";
  std::ofstream(restored / "manifest.json") << "{}";
  fs::permissions(restored, fs::perms::owner_all | fs::perms::group_read | fs::perms::others_read);
  Kernel kernel(options({"plain"}));
  const auto status = runOnce(kernel);
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_TRUE(fs::exists(data / "restored by hand"));
  EXPECT_FALSE(fs::exists(data / "manifest.json")) << "it has started on it";
  EXPECT_EQ(fs::status(data).permissions(), fs::perms::owner_all);
}

TEST_F(LifecycleTest, AValueThatARuleRefusesStartsNothing) {
  auto made = options({"plain"});
  made.config.flags = {{"log.level", "loud"}};
  Kernel kernel(std::move(made));
  ASSERT_TRUE(kernel.load().ok()) << "a check still shows the modules";
  EXPECT_EQ(kernel.configProblems().size(), 1U);
  const auto status = kernel.start();
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("log.level: expected trace, debug"));
  EXPECT_FALSE(std::filesystem::exists(root_ / "data"));
}

TEST_F(LifecycleTest, StartsInDependencyOrderAndStopsInReverse) {
  Kernel kernel(options({"alpha_user", "alpha"}));
  ASSERT_TRUE(runOnce(kernel).ok());
  EXPECT_THAT(journal(),
              ElementsAre("alpha start", "alpha_user start", "alpha ready", "alpha_user ready",
                          "alpha_user drain", "alpha drain", "alpha_user stop", "alpha stop"));
}

TEST_F(LifecycleTest, AThrowInStartStopsWhatWasStartedAndNamesTheModule) {
  Kernel kernel(options({"alpha", "throws"}));
  const auto status = runOnce(kernel);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, AllOf(HasSubstr("module throws"), HasSubstr("no coffee")));
  EXPECT_THAT(journal(), ElementsAre("alpha start", "throws start", "alpha drain", "throws stop",
                                     "alpha stop"));
}

TEST_F(LifecycleTest, AFailedStartTellsWhoRequiredTheModule) {
  Kernel kernel(options({"fails", "alpha_user"}));
  const auto status = runOnce(kernel);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, AllOf(HasSubstr("the disk is on holiday"),
                                            HasSubstr("fails is required by alpha_user")));
}

TEST_F(LifecycleTest, AModuleThatNeverDrainsIsStoppedAnyway) {
  Kernel kernel(options({"never_drains"}));
  ASSERT_TRUE(runOnce(kernel).ok());
  EXPECT_THAT(journal(), ElementsAre("never_drains start", "never_drains ready",
                                     "never_drains drain", "never_drains stop"));
}

TEST_F(LifecycleTest, AProgramWithoutLockAndLogFileWritesNothing) {
  auto isolated = options({"plain"});
  isolated.lock_file.clear();
  isolated.log_file.clear();
  Kernel kernel(std::move(isolated));
  ASSERT_TRUE(runOnce(kernel).ok());
  EXPECT_TRUE(std::filesystem::is_empty(root_ / "data"));
}

TEST_F(LifecycleTest, TheLockAndTheLogHaveTheNamesOfTheProgram) {
  auto named = options({"plain"});
  named.lock_file = "daemon.lock";
  named.log_file = "daemon.log";
  Kernel kernel(named);
  ASSERT_TRUE(kernel.load().ok());
  ASSERT_TRUE(kernel.start().ok());
  EXPECT_TRUE(std::filesystem::exists(root_ / "data/logs/daemon.log"));
  Kernel second(named);
  ASSERT_TRUE(second.load().ok());
  const auto status = second.start();
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, testing::StartsWith("testd already runs on"));
  kernel.requestShutdown("test");
  kernel.run();
}

TEST_F(LifecycleTest, OnlyAFailureEndsWithAStatus) {
  {
    Kernel stopped(options({"plain"}));
    ASSERT_TRUE(runOnce(stopped).ok());
    EXPECT_EQ(stopped.exitStatus(), 0);
  }
  Kernel failed(options({"plain"}));
  ASSERT_TRUE(failed.load().ok());
  ASSERT_TRUE(failed.start().ok());
  failed.fail("nobody is there");
  failed.run();
  EXPECT_EQ(failed.exitStatus(), 1);
}

TEST_F(LifecycleTest, AFailureDuringAStopIsStillAStop) {
  Kernel kernel(options({"plain"}));
  ASSERT_TRUE(kernel.load().ok());
  ASSERT_TRUE(kernel.start().ok());
  kernel.requestShutdown("test");
  kernel.fail("the line went dead");
  kernel.run();
  EXPECT_EQ(kernel.exitStatus(), 0);
}

TEST_F(LifecycleTest, AnotherProgramTakesOverAfterACleanStop) {
  Kernel kernel(options({"plain"}));
  ASSERT_TRUE(kernel.load().ok());
  ASSERT_TRUE(kernel.start().ok());
  kernel.startAgain("/opt/next/bin/testd", "it is newer");
  kernel.run();
  EXPECT_EQ(kernel.successor(), "/opt/next/bin/testd");
  EXPECT_EQ(kernel.exitStatus(), 0);
}

TEST_F(LifecycleTest, NothingTakesOverFromAProgramThatEndsAlready) {
  Kernel kernel(options({"plain"}));
  ASSERT_TRUE(kernel.load().ok());
  ASSERT_TRUE(kernel.start().ok());
  kernel.requestShutdown("test");
  kernel.startAgain("/opt/next/bin/testd", "it is newer");
  kernel.run();
  EXPECT_EQ(kernel.successor(), "");
}

using LifecycleDeathTest = LifecycleTest;

TEST_F(LifecycleDeathTest, AModuleThatHangsInStopEndsTheProcessByForce) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        Kernel kernel(options({"hangs_in_stop"}));
        static_cast<void>(runOnce(kernel));
      },
      testing::ExitedWithCode(kForcedExitCode), "hangs_in_stop did not stop within 200 ms");
}

TEST_F(LifecycleDeathTest, AForcedEndStandsInTheLogAndLeavesNothingThatTellsOfARunningProcess) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  // The process that dies is another one, and makes the same test anew.
  const auto root = std::filesystem::path(testing::TempDir()) / "kernel-forced";
  const auto run_file = root / "data" / "run.json";
  EXPECT_EXIT(
      {
        auto logs = options({"hangs_in_stop"});
        logs.paths.data = root / "data";
        logs.run_file = "run.json";
        logs.config.flags.front().second = "info";
        Kernel kernel(logs);
        static_cast<void>(kernel.load());
        static_cast<void>(kernel.start());
        std::ofstream(run_file) << "{}";
        kernel.requestShutdown("test");
        kernel.run();
      },
      testing::ExitedWithCode(kForcedExitCode), "hangs_in_stop did not stop");
  EXPECT_TRUE(std::filesystem::exists(root / "data"));
  EXPECT_FALSE(std::filesystem::exists(run_file));
  std::ifstream log(root / "data" / "logs" / "server.log");
  const std::string text((std::istreambuf_iterator<char>(log)), {});
  EXPECT_NE(text.find("hangs_in_stop did not stop within 200 ms; the process ends now"),
            std::string::npos)
      << text;
  std::filesystem::remove_all(root);
}

TEST_F(LifecycleTest, TwoProvidersAreRefusedUnlessConfigurationChooses) {
  Kernel undecided(options({"alpha", "other_alpha"}));
  const auto status = undecided.load();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, kDuplicateProvider);

  auto decided_options = options({"alpha", "other_alpha"});
  decided_options.config.file_text = R"({"providers": {"fixture.Alpha": "other_alpha"}})";
  Kernel decided(decided_options);
  EXPECT_TRUE(runOnce(decided).ok());
}

TEST_F(LifecycleTest, MissingAndCyclicDependenciesAreRefusedBeforeAnythingStarts) {
  Kernel missing(options({"alpha_user"}));
  EXPECT_EQ(missing.load().error().code, kMissingDependency);
  Kernel cyclic(options({"cycle_a", "cycle_b"}));
  EXPECT_EQ(cyclic.load().error().code, kDependencyCycle);
  EXPECT_TRUE(journal().empty());
}

TEST_F(LifecycleTest, AnUnknownConfigurationKeyNamesTheNearestOne) {
  auto wrong = options({"plain"});
  wrong.config.file_text = R"({"plain": {"colour": "red"}})";
  Kernel kernel(wrong);
  ASSERT_TRUE(kernel.load().ok()) << "what is asked about the configuration can be answered";
  ASSERT_EQ(kernel.configProblems().size(), 1U);
  EXPECT_EQ(kernel.configProblems()[0].key, "plain.colour");
  const auto status = kernel.start();
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, AllOf(HasSubstr("\"plain.colour\""), HasSubstr("config.json"),
                                            HasSubstr("did you mean \"plain.color\"?")));
  EXPECT_TRUE(journal().empty());
}

TEST_F(LifecycleTest, ASecondKernelOnTheSameDataDirectoryIsRefusedWithThePid) {
  Kernel first(options({"plain"}));
  ASSERT_TRUE(first.load().ok());
  ASSERT_TRUE(first.start().ok());
  Kernel second(options({"plain"}));
  ASSERT_TRUE(second.load().ok());
  const auto status = second.start();
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message, HasSubstr("pid " + std::to_string(::getpid())));
}

TEST_F(LifecycleTest, DescribesTheGraph) {
  Kernel kernel(options({"alpha_user", "alpha", "beta_wanter"}));
  ASSERT_TRUE(kernel.load().ok());
  EXPECT_THAT(kernel.describe(), AllOf(HasSubstr("provides fixture.Alpha 1"),
                                       HasSubstr("requires fixture.Alpha 1 from alpha"),
                                       HasSubstr("requires fixture.Beta 1 (optional, absent)")));
}

TEST_F(LifecycleTest, ModuleStatesFollowTheLifecycle) {
  Kernel kernel(options({"plain"}));
  ASSERT_TRUE(kernel.load().ok());
  ASSERT_TRUE(kernel.start().ok());
  EXPECT_EQ(kernel.modules().front().state, "ready");
  kernel.requestShutdown("test");
  kernel.run();
  EXPECT_EQ(kernel.modules().front().state, "stopped");
}

}  // namespace
}  // namespace svc::kernel
