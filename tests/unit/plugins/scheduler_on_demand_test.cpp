// Runs that somebody asks for and waits for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "scheduler.h"
#include "scheduler_fixture.h"

namespace svc::plugins {
namespace {

using ::testing::HasSubstr;

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
