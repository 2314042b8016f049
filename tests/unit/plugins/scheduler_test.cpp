#include "scheduler.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "mocks/mock_schedule_store.h"
#include "scheduler_fixture.h"

namespace svc::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::NiceMock;
using namespace std::chrono_literals;

TEST_F(SchedulerTest, WaitsUntilWhatACrashHasLeftIsStored) {
  ASSERT_TRUE(store().replace("todo", {{"often", "* * * * *", "UTC", 60'000}}, 1).ok());
  ASSERT_TRUE(store().claim({{"todo", "often", 60'000, 120'000, true, false}}, 1).ok());
  NiceMock<storage::MockScheduleStore> full;
  bool is_full = true;
  std::size_t interrupted = 0;
  ON_CALL(full, list).WillByDefault([this] { return store().list(); });
  ON_CALL(full, due).WillByDefault(
      [this](const auto& ids, auto now, auto limit) { return store().due(ids, now, limit); });
  ON_CALL(full, claim).WillByDefault([this](const auto& claims, auto now) {
    return store().claim(claims, now);
  });
  ON_CALL(full, replace).WillByDefault([this](const auto& id, const auto& specs, auto now) {
    return store().replace(id, specs, now);
  });
  ON_CALL(full, interruptRunning)
      .WillByDefault([&](const auto& why, auto now) -> Result<std::size_t> {
        if (is_full) {
          return Error{errc::kUnavailable, "the disk is full"};
        }
        auto ended = store().interruptRunning(why, now);
        interrupted = ended ? ended.value() : 0;
        return ended;
      });
  scheduler_->close();
  std::string waiting;
  scheduler_ = std::make_shared<Scheduler>(
      Scheduler::Context{main_, workers_, clock_, full, loaded_, log_, findZone(zone_).value(),
                         [&waiting](std::string what) { waiting = std::move(what); }});
  ASSERT_TRUE(scheduler_->open().ok());
  EXPECT_THAT(waiting, HasSubstr("the disk is full"));
  const auto generation = load({{"often", "* * * * *"}});
  advance(120s);
  EXPECT_TRUE(generation->calls.empty());
  std::string refused;
  scheduler_->run("todo", "often", [&refused](const Result<ScheduleInfo>& answer) {
    refused = answer ? "ran" : answer.error().message;
  });
  settle();
  EXPECT_THAT(refused, HasSubstr("schedules wait until the data directory can be written"));

  is_full = false;
  advance(1s);
  EXPECT_EQ(waiting, "");
  EXPECT_EQ(interrupted, 1U);
  advance(1s);
  EXPECT_EQ(generation->calls.size(), 1U);
}

TEST_F(SchedulerTest, RunsADueScheduleOnceWithItsTick) {
  const auto plugin = load({{"often", "* * * * *"}});
  advance(29s);
  EXPECT_TRUE(plugin->calls.empty());
  advance(2s);
  ASSERT_EQ(plugin->calls.size(), 1U);
  EXPECT_EQ(plugin->calls[0].source, "schedule:often");
  EXPECT_EQ(plugin->calls[0].invocation.function, "schedule");
  EXPECT_EQ(plugin->meta(0).dump(), R"({"name":"often","scheduledAt":60000,"missed":false})");
  EXPECT_EQ(info("often").last_status, "running");
  EXPECT_EQ(info("often").next_run_at, 2 * kMinute);
  plugin->answer(0);
  settle();
  EXPECT_EQ(info("often").last_status, "ok");
  EXPECT_EQ(info("often").last_run_at, 60'500);
  advance(60s);
  EXPECT_EQ(plugin->calls.size(), 2U);
}

TEST_F(SchedulerTest, RecordsWhatARunThrew) {
  const auto plugin = load({{"often", "* * * * *"}});
  advance(31s);
  plugin->answer(0, Error{errc::kHandlerError, "no luck"});
  settle();
  EXPECT_EQ(info("often").last_status, "error");
  EXPECT_EQ(info("often").last_error, "no luck");
  advance(60s);
  EXPECT_EQ(info("often").last_status, "running");
  EXPECT_EQ(info("often").last_error, "");
}

TEST_F(SchedulerTest, RunsDifferentSchedulesAtTheSameTime) {
  const auto plugin = load({{"a", "* * * * *"}, {"b", "* * * * *"}});
  advance(31s);
  EXPECT_EQ(plugin->calls.size(), 2U);
}

TEST_F(SchedulerTest, SkipsTicksThatFallIntoARun) {
  const auto plugin = load({{"often", "* * * * *"}});
  advance(31s);
  advance(150s);
  EXPECT_EQ(plugin->calls.size(), 1U);
  EXPECT_EQ(info("often").last_status, "running");
  EXPECT_EQ(info("often").next_run_at, 4 * kMinute);
  plugin->answer(0);
  advance(5s);
  EXPECT_EQ(plugin->calls.size(), 1U);
  advance(60s);
  ASSERT_EQ(plugin->calls.size(), 2U);
  EXPECT_EQ(plugin->meta(1)["scheduledAt"].asInteger(), 4 * kMinute);
}

TEST_F(SchedulerTest, SkipsATickThatFellIntoARunWhichHasJustEnded) {
  const auto plugin = load({{"often", "* * * * *"}});
  advance(31s);
  advance(58s);
  main_.advance(std::chrono::milliseconds(2 * kMinute + 300) - main_.now());
  plugin->answer(0);
  settle();
  advance(10s);
  EXPECT_EQ(plugin->calls.size(), 1U);
  EXPECT_EQ(info("often").next_run_at, 3 * kMinute);
}

TEST_F(SchedulerTest, AbortsARunAtItsTimeLimitAndWaitsForItsEnd) {
  const auto plugin = load({{"often", "* * * * *"}});
  advance(31s);
  EXPECT_FALSE(plugin->calls[0].invocation.stop.stop_requested());
  advance(limits::kScheduleTimeout + 1s);
  EXPECT_TRUE(plugin->calls[0].invocation.stop.stop_requested());
  EXPECT_EQ(info("often").last_status, "error");
  EXPECT_THAT(info("often").last_error, HasSubstr("15 min (limit scheduleTimeout)"));
  EXPECT_THAT(plugin->logged, ElementsAre(HasSubstr("schedule \"often\": it did not finish")));
  advance(120s);
  EXPECT_EQ(plugin->calls.size(), 1U);
  plugin->answer(0);
  settle();
  EXPECT_THAT(info("often").last_error, HasSubstr("scheduleTimeout"));
  advance(61s);
  EXPECT_EQ(plugin->calls.size(), 2U);
}

TEST_F(SchedulerTest, RunsOnceForAllTicksMissedWhileTheServiceWasDown) {
  load({{"often", "* * * * *"}});
  loaded_->withdraw("todo");
  advance(10min);
  restart();
  const auto plugin = load({{"often", "* * * * *"}});
  advance(2s);
  ASSERT_EQ(plugin->calls.size(), 1U);
  EXPECT_EQ(plugin->meta(0).dump(), R"({"name":"often","scheduledAt":60000,"missed":true})");
  plugin->answer(0);
  settle();
  EXPECT_TRUE(info("often").last_run_missed);
  advance(60s);
  ASSERT_EQ(plugin->calls.size(), 2U);
  EXPECT_FALSE(plugin->meta(1)["missed"].asBool());
}

TEST_F(SchedulerTest, MarksRunsThatAStopHasInterrupted) {
  load({{"often", "* * * * *"}});
  advance(31s);
  EXPECT_EQ(info("often").last_status, "running");
  restart();
  EXPECT_EQ(info("often").last_status, "error");
  EXPECT_EQ(info("often").last_error, "interrupted by a server stop");
}

TEST_F(SchedulerTest, RunsNothingOfAPluginThatIsNotLoaded) {
  const auto plugin = load({{"often", "* * * * *"}});
  loaded_->withdraw("todo");
  advance(5min);
  EXPECT_TRUE(plugin->calls.empty());
  EXPECT_EQ(info("often").next_run_at, kMinute);
}

TEST_F(SchedulerTest, AbortsTheRunsOfAGenerationThatIsDisposed) {
  const auto plugin = load({{"often", "* * * * *"}});
  advance(31s);
  auto other = std::make_shared<FakeGeneration>("todo", 99);
  scheduler_->abortRuns(*other);
  EXPECT_FALSE(plugin->calls[0].invocation.stop.stop_requested());
  scheduler_->abortRuns(*plugin);
  EXPECT_TRUE(plugin->calls[0].invocation.stop.stop_requested());
  plugin->answer(0, Error{errc::kHandlerError, "This operation was aborted"});
  settle();
  EXPECT_EQ(info("often").last_error,
            "aborted, because the plugin was reloaded or unloaded: This operation was aborted");
}

TEST_F(SchedulerTest, WaitsForTheRunOfAnEarlierGeneration) {
  const auto before = load({{"often", "* * * * *"}});
  advance(31s);
  const auto after = load({{"often", "* * * * *"}});
  advance(60s);
  EXPECT_TRUE(after->calls.empty());
  before->answer(0, Error{errc::kPluginNotRunning, "the environment has ended"});
  settle();
  EXPECT_EQ(info("often").last_status, "error");
  advance(60s);
  EXPECT_EQ(after->calls.size(), 1U);
}

TEST_F(SchedulerTest, ClaimsMoreThanOneBatchInOneSweep) {
  std::vector<std::pair<std::string, std::string>> schedules;
  for (std::size_t index = 0; index < 2 * limits::kScheduleBatch + 50; ++index) {
    schedules.emplace_back("s" + std::to_string(index), "* * * * *");
  }
  const auto plugin = load(schedules);
  advance(31s);
  EXPECT_EQ(plugin->calls.size(), schedules.size());
}

TEST_F(SchedulerTest, TriesAgainWhenTheWorkersAreBusy) {
  const auto plugin = load({{"often", "* * * * *"}});
  workers_.full = true;
  advance(40s);
  EXPECT_TRUE(plugin->calls.empty());
  workers_.full = false;
  advance(1s);
  ASSERT_EQ(plugin->calls.size(), 1U);
  workers_.full = true;
  plugin->answer(0);
  settle();
  EXPECT_EQ(info("often").last_status, "running");
  workers_.full = false;
  advance(1s);
  EXPECT_EQ(info("often").last_status, "ok");
}

}  // namespace
}  // namespace svc::plugins
