#include "safe_mode.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "fixture.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class SafeModeTest : public ManagerFixture {
 protected:
  SafeModeState set(bool enabled) {
    Answer<SafeModeState> answer;
    manager_->setSafeMode(enabled, answer.completion());
    settle();
    EXPECT_TRUE(answer.ok());
    return answer.ok() ? answer.value() : SafeModeState{};
  }
  bool isOn() {
    Answer<SafeModeState> answer;
    manager_->safeMode(answer.completion());
    settle();
    return answer.value().enabled;
  }
  Answer<PluginRecord> setEnabled(bool enabled) {
    Answer<PluginRecord> answer;
    manager_->setEnabled("todo", enabled, answer.completion());
    settle();
    return answer;
  }
  /// A server that starts with what is stored.
  void start(bool forced = false) {
    restart(forced);
    Answer<void> ready;
    manager_->loadAll(2s, ready.completion());
    settle();
    EXPECT_TRUE(ready.ok());
  }
};

TEST_F(SafeModeTest, IsOffAtFirst) { EXPECT_FALSE(isOn()); }

TEST_F(SafeModeTest, TurningItOnDisposesAndHoldsEveryPlugin) {
  installTodo();
  const auto state = set(true);
  EXPECT_TRUE(state.enabled);
  EXPECT_THAT(state.problems, IsEmpty());
  EXPECT_TRUE(isOn());
  EXPECT_EQ(record().status, PluginStatus::kDisabled);
  EXPECT_EQ(record().status_detail, "safe mode is on");
  EXPECT_TRUE(record().enabled) << "what the user wants is kept";
  EXPECT_TRUE(environment(0).ended());
  EXPECT_THAT(calls(environment(0)),
              ElementsAre("plugin.load", "plugin.runHooks", "plugin.invalidate"));
  EXPECT_EQ(acquire().error().code, errc::kPluginNotRunning);
  EXPECT_THAT(acquire().error().message, HasSubstr("safe mode is on"));
}

TEST_F(SafeModeTest, BundledPluginsGoOn) {
  writePlugin();
  addRow("todo");
  rows_["todo"].provenance = "builtin";
  start();
  set(true);
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_FALSE(reload().value().at(0).failure);
}

TEST_F(SafeModeTest, TurningItOffLoadsTheEnabledPluginsAndNamesThoseThatDoNotRun) {
  installTodo();
  install(
      writePlugin("other", R"({"name":"other","version":"1.0.0","svc":{"server":"server.ts"}})"));
  install(writePlugin("off", R"({"name":"off","version":"1.0.0","svc":{"server":"server.ts"}})"));
  Answer<PluginRecord> disabled;
  manager_->setEnabled("off", false, disabled.completion());
  settle();
  set(true);
  std::filesystem::remove_all(directory_.path() / "other");
  const auto state = set(false);
  EXPECT_FALSE(state.enabled);
  ASSERT_THAT(state.problems, SizeIs(1));
  EXPECT_EQ(state.problems.at(0).id, "other");
  EXPECT_EQ(state.problems.at(0).status, PluginStatus::kMissing);
  EXPECT_EQ(record("todo").status, PluginStatus::kRunning);
  EXPECT_EQ(record("off").status, PluginStatus::kDisabled);
  EXPECT_EQ(record("off").status_detail, "");
}

TEST_F(SafeModeTest, SurvivesARestart) {
  installTodo();
  set(true);
  start();
  EXPECT_TRUE(isOn());
  EXPECT_EQ(record().status, PluginStatus::kDisabled);
  EXPECT_EQ(record().status_detail, "safe mode is on");
  EXPECT_THAT(runtime_.environments, SizeIs(1));
  set(false);
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  start();
  EXPECT_FALSE(isOn());
  EXPECT_EQ(record().status, PluginStatus::kRunning);
}

TEST_F(SafeModeTest, AServerCanStartWithItOn) {
  writePlugin();
  addRow("todo");
  start(true);
  EXPECT_TRUE(isOn());
  EXPECT_THAT(runtime_.environments, IsEmpty());
  start();
  EXPECT_TRUE(isOn()) << "until it is turned off";
}

TEST_F(SafeModeTest, ReloadAndInstallAreRefused) {
  installTodo();
  set(true);
  for (const auto* id : {"todo", ""}) {
    const auto refused = reload(id);
    EXPECT_EQ(refused.error().code, errc::kSafeMode);
    EXPECT_THAT(refused.error().message, HasSubstr("svc plugin safe-mode off"));
  }
  EXPECT_EQ(reload("nobody").error().code, errc::kUnknownPlugin);
  Answer<PluginRecord> installed;
  manager_->install(
      writePlugin("other", R"({"name":"other","version":"1.0.0","svc":{"server":"server.ts"}})")
          .string(),
      installed.completion());
  settle();
  EXPECT_EQ(installed.error().code, errc::kSafeMode);
  EXPECT_THAT(runtime_.environments, SizeIs(1));
}

TEST_F(SafeModeTest, EnablingAndDisablingAreRecordedAndLoadNothing) {
  installTodo();
  set(true);
  const auto disabled = setEnabled(false);
  EXPECT_FALSE(disabled.value().enabled);
  EXPECT_EQ(disabled.value().status_detail, "");
  const auto enabled = setEnabled(true);
  EXPECT_TRUE(enabled.value().enabled);
  EXPECT_EQ(enabled.value().status, PluginStatus::kDisabled);
  EXPECT_EQ(enabled.value().status_detail, "safe mode is on");
  EXPECT_TRUE(rows_.at("todo").enabled);
  EXPECT_THAT(runtime_.environments, SizeIs(1));
}

TEST_F(SafeModeTest, ALoadThatIsUnderWayEnds) {
  holdFactories();
  Answer<PluginRecord> installed;
  manager_->install(writePlugin().string(), installed.completion());
  settle();
  Answer<SafeModeState> held;
  manager_->setSafeMode(true, held.completion());
  settle();
  EXPECT_TRUE(environment(0).ended());
  (*held_factories_.at(0))(Error{errc::kPluginNotRunning, "the environment has ended"});
  settle();
  EXPECT_TRUE(held.ok());
  EXPECT_TRUE(installed.fired());
  EXPECT_TRUE(environment(0).ended());
  EXPECT_EQ(record().status, PluginStatus::kDisabled);
  EXPECT_EQ(record().status_detail, "safe mode is on");
}

TEST_F(SafeModeTest, AnAutomaticLoadIsCancelled) {
  installTodo();
  environment(0).end({script::TerminationReason::kHeapLimit, 0, "", ""});
  settle();
  set(true);
  advance(2min);
  EXPECT_THAT(runtime_.environments, SizeIs(1));
  EXPECT_EQ(record().status, PluginStatus::kDisabled);
}

TEST_F(SafeModeTest, WhatCannotBeStoredDoesNotTakeEffect) {
  installTodo();
  ON_CALL(service_settings_, set)
      .WillByDefault(::testing::Return(Status(Error{errc::kUnavailable, "disk full"})));
  Answer<SafeModeState> answer;
  manager_->setSafeMode(true, answer.completion());
  settle();
  EXPECT_EQ(answer.error().message, "disk full");
  EXPECT_FALSE(isOn());
  EXPECT_EQ(record().status, PluginStatus::kRunning);
}

TEST_F(SafeModeTest, AFullQueueOfOperationsDoesNotKeepAPluginRunning) {
  installTodo();
  holdFactories();
  std::vector<Answer<std::vector<ReloadOutcome>>> waiting(JobQueue::kLimit + 2);
  for (auto& answer : waiting) {
    manager_->reload("todo", answer.completion());
    settle();
  }
  set(true);
  EXPECT_EQ(record().status, PluginStatus::kDisabled);
  EXPECT_EQ(record().status_detail, "safe mode is on");
  EXPECT_EQ(acquire().error().code, errc::kPluginNotRunning);
}

}  // namespace
}  // namespace svc::plugins
