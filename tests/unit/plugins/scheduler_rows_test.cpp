// Which rows the scheduler keeps, and when their next runs are.

#include <chrono>
#include <cstddef>
#include <memory>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "scheduler.h"
#include "scheduler_fixture.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;

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

TEST_F(SchedulerTest, LeavesAnUnreadableExpressionAlone) {
  const auto plugin = load({{"often", "* * * * *"}});
  ASSERT_TRUE(store().replace("todo", {{"often", "nonsense", "UTC", 1}}, 1).ok());
  advance(5s);
  EXPECT_TRUE(plugin->calls.empty());
  EXPECT_GT(store().list().value().front().next_run_at, 12 * 60 * kMinute);
}

}  // namespace
}  // namespace svc::plugins
