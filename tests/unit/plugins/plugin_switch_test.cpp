#include "plugin_switch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "fixture.h"

namespace svc::plugins {
namespace {

using ::testing::HasSubstr;

class PluginSwitchTest : public ManagerFixture {
 protected:
  PluginSwitchTest() { installTodo(); }
  ~PluginSwitchTest() override { switch_.reset(); }

  Answer<PluginSwitchPtr> tryBegin(const std::string& id = "todo") {
    Answer<PluginSwitchPtr> answer;
    manager_->begin(id, answer.completion());
    settle();
    return answer;
  }
  void begin() {
    const auto answer = tryBegin();
    ASSERT_TRUE(answer.ok());
    switch_ = answer.value();
    // The answer keeps it as well.
    answer.slot->reset();
  }
  void suspend() {
    Answer<void> answer;
    switch_->suspend("being updated to 2.0.0", answer.completion());
    settle();
    ASSERT_TRUE(answer.fired() && answer.slot->value().ok());
  }
  Answer<PluginRecord> load() {
    Answer<PluginRecord> answer;
    switch_->load(answer.completion());
    settle();
    return answer;
  }
  /// The directory of a second version.
  storage::PluginRow secondVersion() {
    auto row = rows_.at("todo");
    row.root_dir = writePlugin("todo2", R"({"name":"svc-plugin-todo","version":"2.0.0",)"
                                        R"("svc":{"server":"server.ts"}})")
                       .string();
    row.version = "2.0.0";
    row.generation = 0;
    return row;
  }
  Answer<void> replace(const storage::PluginRow& row) {
    Answer<void> answer;
    switch_->replace(row, answer.completion());
    settle();
    return answer;
  }

  PluginSwitchPtr switch_;
};

TEST_F(PluginSwitchTest, AnUnknownPluginIsUnknown) {
  EXPECT_EQ(tryBegin("nobody").error().code, errc::kUnknownPlugin);
}

TEST_F(PluginSwitchTest, SafeModeRefuses) {
  Answer<SafeModeState> answer;
  manager_->setSafeMode(true, answer.completion());
  settle();
  EXPECT_EQ(tryBegin().error().code, errc::kSafeMode);
}

TEST_F(PluginSwitchTest, CallsWaitAndReachTheNewVersion) {
  begin();
  suspend();
  EXPECT_TRUE(environment(0).ended());
  EXPECT_EQ(record().status, PluginStatus::kStarting);
  EXPECT_EQ(record().status_detail, "being updated to 2.0.0");
  const auto call = acquire();
  EXPECT_FALSE(call.fired());
  ASSERT_TRUE(replace(secondVersion()).slot->value().ok());
  EXPECT_EQ(rows_.at("todo").version, "2.0.0");
  const auto loaded = load();
  EXPECT_EQ(loaded.value().status, PluginStatus::kRunning);
  EXPECT_EQ(loaded.value().version, "2.0.0");
  EXPECT_EQ(loaded.value().generation, 2U);
  ASSERT_TRUE(call.ok());
}

TEST_F(PluginSwitchTest, CallsAreRefusedWhenTheNewVersionDoesNotLoad) {
  begin();
  suspend();
  const auto call = acquire();
  failFactories("boom");
  EXPECT_EQ(load().value().status, PluginStatus::kError);
  EXPECT_EQ(call.error().code, errc::kPluginNotRunning);
}

TEST_F(PluginSwitchTest, CallsWaitNoLongerThanTheLimit) {
  begin();
  suspend();
  const auto call = acquire();
  advance(limits::kUpdateHold - std::chrono::milliseconds{1});
  EXPECT_FALSE(call.fired());
  advance(std::chrono::milliseconds{1});
  EXPECT_EQ(call.error().code, errc::kPluginNotRunning);
  EXPECT_THAT(call.error().message, HasSubstr("being updated to 2.0.0"));
  EXPECT_TRUE(acquire().fired());
  EXPECT_EQ(load().value().status, PluginStatus::kRunning);
  EXPECT_TRUE(acquire().ok());
}

TEST_F(PluginSwitchTest, TheLimitDoesNotTouchALoadedPlugin) {
  begin();
  suspend();
  load();
  advance(limits::kUpdateHold);
  EXPECT_TRUE(acquire().ok());
}

TEST_F(PluginSwitchTest, OtherOperationsOfThePluginWait) {
  begin();
  suspend();
  const auto reloaded = reload();
  EXPECT_FALSE(reloaded.fired());
  load();
  EXPECT_FALSE(reloaded.fired());
  switch_.reset();
  settle();
  EXPECT_TRUE(reloaded.fired());
}

TEST_F(PluginSwitchTest, TheListChangesAgainOnceItLoads) {
  begin();
  suspend();
  Answer<PluginRecord> installed;
  manager_->install(writePlugin("other", R"({"name":"svc-plugin-other","version":"1.0.0",)"
                                         R"("svc":{"server":"server.ts"}})")
                        .string(),
                    installed.completion());
  settle();
  EXPECT_FALSE(installed.fired());
  load();
  settle();
  EXPECT_TRUE(installed.ok());
}

TEST_F(PluginSwitchTest, LettingItGoRefusesWhoWaits) {
  begin();
  suspend();
  const auto call = acquire();
  switch_.reset();
  EXPECT_EQ(call.error().code, errc::kPluginNotRunning);
}

TEST_F(PluginSwitchTest, GivingUpShowsWhy) {
  begin();
  suspend();
  switch_->giveUp("nothing to run");
  EXPECT_EQ(record().status, PluginStatus::kError);
  EXPECT_EQ(record().status_detail, "nothing to run");
}

TEST_F(PluginSwitchTest, ADisabledPluginStaysDisabled) {
  Answer<PluginRecord> disabled;
  manager_->setEnabled("todo", false, disabled.completion());
  settle();
  begin();
  suspend();
  EXPECT_EQ(record().status, PluginStatus::kDisabled);
  EXPECT_TRUE(acquire().fired());
  ASSERT_TRUE(replace(secondVersion()).slot->value().ok());
  EXPECT_EQ(load().value().status, PluginStatus::kDisabled);
  EXPECT_EQ(record().version, "2.0.0");
  EXPECT_EQ(runtime_.environments.size(), 1U);
}

TEST_F(PluginSwitchTest, AFailedStoreKeepsTheRow) {
  begin();
  suspend();
  ON_CALL(store_, put).WillByDefault([](const auto&) {
    return Status(Error{errc::kUnavailable, "disk full"});
  });
  EXPECT_EQ(replace(secondVersion()).slot->value().error().message, "disk full");
  EXPECT_EQ(switch_->row().version, "1.0.0");
}

TEST_F(PluginSwitchTest, NothingIsLoadedOnceTheServerStops) {
  begin();
  suspend();
  Answer<void> stopped;
  manager_->shutdown(stopped.completion());
  EXPECT_EQ(load().error().code, errc::kUnavailable);
  switch_.reset();
  settle();
}

TEST_F(PluginSwitchTest, UpdateStateAndTheLastFailureAreInTheRecord) {
  auto row = rows_.at("todo");
  row.last_failure = R"({"version":"2.0.0","at":5,"detail":"it broke"})";
  manager_->adopt(row);
  manager_->setUpdateState("todo", common::Json::object().set("outcome", "current"));
  settle();
  EXPECT_EQ(
      record().update_state.dump(),
      R"({"outcome":"current","lastFailure":{"version":"2.0.0","at":5,"detail":"it broke"}})");
}

}  // namespace
}  // namespace svc::plugins
