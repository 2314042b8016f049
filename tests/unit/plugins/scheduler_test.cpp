#include "scheduler.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/null_sink.h>

#include "svc/common/codes.h"
#include "svc/common/limits.h"

#include "fixture.h"
#include "memory_store.h"
#include "mocks/mock_generation.h"
#include "mocks/mock_schedule_store.h"

namespace svc::plugins {
namespace {

using common::Json;
using storage::ScheduleRow;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::NiceMock;
using namespace std::chrono_literals;

constexpr std::int64_t kMinute = 60'000;

/// One load of a plugin whose function is played by the test.
class FakeGeneration : public NiceMock<MockGeneration> {
 public:
  struct Call {
    std::string source;
    script::Invocation invocation;
    Completion<std::string> done;
  };

  FakeGeneration(std::string id, std::uint64_t load_id) : id_(std::move(id)) {
    ON_CALL(*this, pluginId).WillByDefault(::testing::ReturnRef(id_));
    ON_CALL(*this, loadId).WillByDefault(::testing::Return(load_id));
    ON_CALL(*this, registration("schedules")).WillByDefault([this] { return schedules_; });
    ON_CALL(*this, log).WillByDefault([this](std::string_view level, std::string_view message) {
      logged.push_back(std::string(level) + ": " + std::string(message));
    });
    ON_CALL(*this, invoke)
        .WillByDefault([this](std::string source, script::Invocation invocation,
                              Completion<std::string> done) {
          calls.push_back({std::move(source), std::move(invocation), std::move(done)});
        });
  }

  void schedule(const std::string& name, const std::string& cron) {
    schedules_.push(Json::object().set("name", name).set("cron", cron));
  }
  [[nodiscard]] Json meta(std::size_t index) const {
    return Json::parse(calls.at(index).invocation.meta).value();
  }
  void answer(std::size_t index, Result<std::string> result = std::string()) {
    calls.at(index).done(std::move(result));
  }

  std::vector<Call> calls;
  std::vector<std::string> logged;

 private:
  std::string id_;
  Json schedules_ = Json::array();
};

class SchedulerTest : public ::testing::Test {
 protected:
  SchedulerTest() {
    loaded_->add("todo", std::make_shared<Meters>());
    main_.advance(30'500ms);  // sweeps come half a second after a tick
    restart();
  }
  ~SchedulerTest() override {
    scheduler_->close();
    // A real environment fails its pending calls when it ends.
    for (const auto& generation : generations_) {
      generation->calls.clear();
    }
    settle();
  }

  /// A new scheduler over the same rows, as after a restart of the server.
  void restart() {
    if (scheduler_) {
      scheduler_->close();
    }
    scheduler_ = std::make_shared<Scheduler>(Scheduler::Context{
        main_, workers_, clock_, store(), loaded_, log_, findZone(zone_).value()});
    scheduler_->onChanged([this] { ++changes_; });
    ASSERT_TRUE(scheduler_->open().ok());
  }
  void settle() {
    while (main_.runAll() > 0 || workers_.runAll()) {
    }
  }
  /// Second by second, as sweeps come.
  void advance(std::chrono::milliseconds time) {
    for (auto passed = 0ms; passed < time; passed += 1s) {
      main_.advance(1s);
      settle();
    }
  }
  std::shared_ptr<FakeGeneration> load(
      const std::vector<std::pair<std::string, std::string>>& schedules,
      const std::string& id = "todo") {
    auto generation = std::make_shared<FakeGeneration>(id, ++last_load_);
    for (const auto& [name, cron] : schedules) {
      generation->schedule(name, cron);
    }
    generations_.push_back(generation);
    loaded_->publish(id, generation);
    bool committed = false;
    scheduler_->commit(generation, [&committed](const Status& status) { committed = status.ok(); });
    settle();
    EXPECT_TRUE(committed);
    return generation;
  }
  ScheduleInfo info(const std::string& name, const std::string& id = "todo") {
    for (const auto& each : scheduler_->records(id)) {
      if (each.name == name) {
        return each;
      }
    }
    ADD_FAILURE() << "no schedule " << name;
    return {};
  }
  storage::IScheduleStore& store() { return memory_.schedules(); }

  svc::test::FakeMainExecutor main_;
  MainClock clock_{main_};
  QueuedWorkers workers_;
  storage_memory::MemoryStore memory_;
  std::shared_ptr<LoadedMap> loaded_ = std::make_shared<LoadedMap>();
  std::shared_ptr<spdlog::logger> log_ =
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
  std::string zone_ = "UTC";
  std::shared_ptr<Scheduler> scheduler_;
  std::vector<std::shared_ptr<FakeGeneration>> generations_;
  std::uint64_t last_load_ = 0;
  int changes_ = 0;
};

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

TEST_F(SchedulerTest, StoresWhatIsRegisteredWithItsNextRun) {
  load({{"often", "* * * * *"}, {"daily", "@daily"}});
  const auto often = info("often");
  EXPECT_EQ(often.cron, "* * * * *");
  EXPECT_EQ(often.timezone, "UTC");
  EXPECT_EQ(often.next_run_at, kMinute);
  EXPECT_EQ(often.last_status, "");
  EXPECT_EQ(info("daily").next_run_at, 24 * 60 * kMinute);
  EXPECT_GT(changes_, 0);
}

TEST_F(SchedulerTest, AsksTheStoreNothingForAPluginWithoutSchedules) {
  auto generation = std::make_shared<FakeGeneration>("todo", 1);
  bool committed = false;
  scheduler_->commit(generation, [&committed](const Status&) { committed = true; });
  EXPECT_TRUE(committed);
  EXPECT_FALSE(workers_.runAll());
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

TEST_F(SchedulerTest, KeepsAnOverdueRowOfAnUnchangedExpression) {
  load({{"often", "* * * * *"}, {"other", "* * * * *"}});
  loaded_->withdraw("todo");
  advance(5min);
  const auto plugin = load({{"often", "* * * * *"}, {"other", "0 * * * *"}});
  EXPECT_EQ(info("often").next_run_at, kMinute);
  EXPECT_EQ(info("other").next_run_at, 60 * kMinute);
  advance(2s);
  ASSERT_EQ(plugin->calls.size(), 1U);
  EXPECT_FALSE(plugin->meta(0)["missed"].asBool());
}

TEST_F(SchedulerTest, ComputesTheNextRunAfreshInAnotherZone) {
  load({{"daily", "@daily"}});
  zone_ = "Asia/Kathmandu";
  restart();
  load({{"daily", "@daily"}});
  EXPECT_EQ(info("daily").timezone, "Asia/Kathmandu");
  // 1970 began there at 5:30 from UTC.
  EXPECT_EQ(info("daily").next_run_at, (24 * 60 - 330) * kMinute);
}

TEST_F(SchedulerTest, AZoneThatChangesReachesTheSchedulesOfEveryPlugin) {
  constexpr std::size_t kPlugins = JobQueue::kLimit + 6;
  const auto name = [](std::size_t index) { return fmt::format("plugin-{}", index); };
  for (std::size_t index = 0; index < kPlugins; ++index) {
    loaded_->add(name(index), std::make_shared<Meters>());
    load({{"daily", "@daily"}}, name(index));
  }
  scheduler_->setZone(findZone("Asia/Kathmandu").value());
  settle();
  for (std::size_t index = 0; index < kPlugins; ++index) {
    EXPECT_EQ(info("daily", name(index)).timezone, "Asia/Kathmandu") << index;
    EXPECT_EQ(info("daily", name(index)).next_run_at, (24 * 60 - 330) * kMinute) << index;
  }
}

TEST_F(SchedulerTest, RemovesSchedulesThatAreGone) {
  load({{"a", "* * * * *"}, {"b", "* * * * *"}});
  load({{"b", "* * * * *"}});
  EXPECT_EQ(scheduler_->records("todo").size(), 1U);
  load({});
  EXPECT_TRUE(scheduler_->records("todo").empty());
}

TEST_F(SchedulerTest, CountsFromNowAfterAPluginWasDisabled) {
  load({{"often", "* * * * *"}});
  loaded_->withdraw("todo");
  advance(5min);
  scheduler_->resume("todo");
  const auto plugin = load({{"often", "* * * * *"}});
  EXPECT_EQ(info("often").next_run_at, 6 * kMinute);
  advance(5s);
  EXPECT_TRUE(plugin->calls.empty());
}

TEST_F(SchedulerTest, AClockThatIsSetBackTakesTheNextRunsAlong) {
  clock_.ahead = 24h;
  const auto plugin = load({{"often", "* * * * *"}, {"daily", "0 3 * * *"}});
  advance(1min);
  ASSERT_EQ(plugin->calls.size(), 1U);
  plugin->answer(0);
  EXPECT_EQ(info("daily").next_run_at, 27 * 60 * kMinute);
  clock_.ahead = 0h;
  advance(1min);
  EXPECT_EQ(info("daily").next_run_at, 3 * 60 * kMinute);
  advance(1min);
  EXPECT_EQ(plugin->calls.size(), 2U);
}

TEST_F(SchedulerTest, AClockThatIsSetALittleBackRunsNothingTwice) {
  const auto plugin = load({{"often", "* * * * *"}});
  advance(1min);
  ASSERT_EQ(plugin->calls.size(), 1U);
  plugin->answer(0);
  clock_.ahead = -40s;
  advance(30s);
  EXPECT_EQ(plugin->calls.size(), 1U);
}

TEST_F(SchedulerTest, StoresAScheduleThatIsRegisteredAfterTheLoad) {
  const auto plugin = load({{"a", "* * * * *"}});
  plugin->schedule("late", "* * * * *");
  scheduler_->registered(plugin);
  settle();
  EXPECT_EQ(info("late").next_run_at, kMinute);
}

TEST_F(SchedulerTest, IgnoresALateRegistrationOfAGenerationThatIsNotCommitted) {
  load({{"a", "* * * * *"}});
  auto stranger = std::make_shared<FakeGeneration>("todo", 99);
  stranger->schedule("b", "* * * * *");
  scheduler_->registered(stranger);
  settle();
  EXPECT_EQ(scheduler_->records("todo").size(), 1U);
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

TEST_F(SchedulerTest, LeavesAnUnreadableExpressionAlone) {
  const auto plugin = load({{"often", "* * * * *"}});
  ASSERT_TRUE(store().replace("todo", {{"often", "nonsense", "UTC", 1}}, 1).ok());
  advance(5s);
  EXPECT_TRUE(plugin->calls.empty());
  EXPECT_GT(store().list().value().front().next_run_at, 12 * 60 * kMinute);
}

TEST_F(SchedulerTest, RunsAScheduleOnDemand) {
  const auto plugin = load({{"daily", "@daily"}});
  Answer<ScheduleInfo> answer;
  scheduler_->run("todo", "daily", answer.completion());
  settle();
  ASSERT_EQ(plugin->calls.size(), 1U);
  EXPECT_EQ(plugin->meta(0).dump(), R"({"name":"daily","scheduledAt":30500,"missed":false})");
  EXPECT_FALSE(answer.fired());
  EXPECT_EQ(info("daily").last_status, "running");
  plugin->answer(0);
  settle();
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.value().last_status, "ok");
  EXPECT_EQ(answer.value().next_run_at, 24 * 60 * kMinute);
}

TEST_F(SchedulerTest, RefusesARunOnDemandWhileItIsRunning) {
  const auto plugin = load({{"daily", "@daily"}});
  Answer<ScheduleInfo> first;
  Answer<ScheduleInfo> second;
  scheduler_->run("todo", "daily", first.completion());
  scheduler_->run("todo", "daily", second.completion());
  settle();
  EXPECT_EQ(plugin->calls.size(), 1U);
  ASSERT_TRUE(second.fired());
  EXPECT_EQ(second.error().code, errc::kConflict);
}

TEST_F(SchedulerTest, AnswersARunOnDemandWithItsFailure) {
  const auto plugin = load({{"daily", "@daily"}});
  Answer<ScheduleInfo> answer;
  scheduler_->run("todo", "daily", answer.completion());
  settle();
  plugin->answer(0, Error{errc::kHandlerError, "no luck"});
  settle();
  ASSERT_TRUE(answer.fired());
  EXPECT_EQ(answer.error().code, errc::kHandlerError);
  EXPECT_EQ(answer.error().message, "no luck");
  EXPECT_EQ(info("daily").last_error, "no luck");
}

TEST_F(SchedulerTest, RefusesARunOnDemandOfWhatIsNotThere) {
  load({{"daily", "@daily"}});
  Answer<ScheduleInfo> unknown_name;
  Answer<ScheduleInfo> unknown_plugin;
  Answer<ScheduleInfo> not_loaded;
  scheduler_->run("todo", "hourly", unknown_name.completion());
  scheduler_->run("nobody", "daily", unknown_plugin.completion());
  settle();
  loaded_->withdraw("todo");
  scheduler_->run("todo", "daily", not_loaded.completion());
  settle();
  EXPECT_EQ(unknown_name.error().code, errc::kNotFound);
  EXPECT_THAT(unknown_name.error().message, HasSubstr("\"hourly\""));
  EXPECT_EQ(unknown_plugin.error().code, errc::kUnknownPlugin);
  EXPECT_EQ(not_loaded.error().code, errc::kPluginNotRunning);
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

TEST_F(SchedulerTest, AnswersWhoWaitsWhenTheServerStops) {
  const auto plugin = load({{"daily", "@daily"}});
  Answer<ScheduleInfo> answer;
  scheduler_->run("todo", "daily", answer.completion());
  settle();
  scheduler_->close();
  plugin->answer(0, Error{errc::kPluginNotRunning, "the environment has ended"});
  settle();
  ASSERT_TRUE(answer.fired());
  EXPECT_EQ(answer.error().code, errc::kUnavailable);
  EXPECT_EQ(info("daily").last_status, "running");
}

}  // namespace
}  // namespace svc::plugins
