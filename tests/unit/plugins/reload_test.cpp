#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "fixture.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class ReloadTest : public ManagerFixture {
 protected:
  ReloadTest() { installTodo(); }
  Answer<std::string> call(const GenerationPtr& generation) {
    Answer<std::string> answer;
    generation->invoke("rpc:x", {"rpc", "x", "", {}}, answer.completion());
    return answer;
  }
};

TEST_F(ReloadTest, LoadsTheNewBeforeItDisposesTheOld) {
  const auto outcome = reload();
  EXPECT_FALSE(outcome.value().at(0).failure);
  EXPECT_EQ(outcome.value().at(0).record.generation, 2U);
  EXPECT_THAT(logMessages(),
              ElementsAre("loaded Todo 1.0.0 in 0 ms", "loaded Todo 1.0.0 in 0 ms", "disposed"));
  EXPECT_THAT(calls(environment(0)),
              ElementsAre("plugin.load", "plugin.runHooks", "plugin.invalidate"));
  EXPECT_TRUE(environment(0).ended());
  EXPECT_FALSE(environment(1).ended());
  EXPECT_EQ(rows_.at("todo").generation, 2U);
}

TEST_F(ReloadTest, AFailureKeepsThePreviousInstance) {
  const auto before = acquire().value();
  failFactories("boom");
  const auto outcome = reload();
  ASSERT_TRUE(outcome.value().at(0).failure);
  EXPECT_EQ(outcome.value().at(0).failure->message,
            "reload failed: boom (the previous instance is still running)");
  EXPECT_EQ(outcome.value().at(0).failure->code, errc::kLoadFailed);
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_EQ(record().status_detail, "reload failed: boom");
  EXPECT_EQ(record().generation, 1U);
  EXPECT_EQ(acquire().value(), before);
  EXPECT_TRUE(environment(1).ended());
  EXPECT_FALSE(environment(0).ended());
}

TEST_F(ReloadTest, EveryEarlyStepKeepsThePreviousInstance) {
  std::filesystem::remove_all(directory_.path() / "todo");
  EXPECT_THAT(reload().value().at(0).failure->message, HasSubstr("still running)"));
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  EXPECT_THAT(record().status_detail, HasSubstr("reload failed: plugin directory not found"));
  EXPECT_TRUE(acquire().ok());
}

TEST_F(ReloadTest, ASuccessfulReloadClearsTheDetail) {
  failFactories("boom");
  static_cast<void>(reload());
  passFactories();
  static_cast<void>(reload());
  EXPECT_EQ(record().status_detail, "");
}

TEST_F(ReloadTest, AFailureWithoutPreviousInstanceIsTheStatus) {
  environment(0).end({script::TerminationReason::kProcessExit, 0, "", ""});
  settle();
  failFactories("boom");
  const auto outcome = reload();
  EXPECT_EQ(outcome.value().at(0).failure->message, "boom");
  EXPECT_EQ(record().status, PluginStatus::kError);
}

TEST_F(ReloadTest, TheOldInstanceAnswersUntilTheSwitch) {
  holdFactories();
  Answer<std::vector<ReloadOutcome>> outcome;
  manager_->reload("todo", outcome.completion());
  settle();
  const auto old = acquire().value()->loadId();
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  (*held_factories_.at(0))(std::string());
  settle();
  EXPECT_NE(acquire().value()->loadId(), old);
}

TEST_F(ReloadTest, CallsDuringTheHandOverWaitForTheNewInstance) {
  const auto running = call(acquire().value());
  Answer<std::vector<ReloadOutcome>> outcome;
  manager_->reload("todo", outcome.completion());
  settle();
  const auto held = acquire();
  EXPECT_FALSE(held.fired());
  environment(0).answer("rpc", std::string("old"));
  settle();
  EXPECT_EQ(running.value(), "old");
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(held.value(), acquire().value());
  EXPECT_EQ(record().counters.held_calls, 1U);
  EXPECT_TRUE(outcome.ok());
}

TEST_F(ReloadTest, TheSwitchDoesNotWaitLongerThanTheHandOver) {
  const auto running = call(acquire().value());
  Answer<std::vector<ReloadOutcome>> outcome;
  manager_->reload("todo", outcome.completion());
  settle();
  const auto held = acquire();
  advance(limits::kHandover - 1ms);
  EXPECT_FALSE(held.fired());
  advance(1ms);
  EXPECT_TRUE(held.ok());
  EXPECT_TRUE(outcome.ok());
  EXPECT_FALSE(environment(0).ended()) << "the disposal goes on behind the new generation";
  EXPECT_THAT(logMessages(), Contains("dispose still waits for 1 running calls"));
  environment(0).answer("rpc", std::string("late"));
  settle();
  EXPECT_EQ(running.value(), "late");
  EXPECT_TRUE(environment(0).ended());
}

TEST_F(ReloadTest, TheDrainIsBounded) {
  const auto running = call(acquire().value());
  static_cast<void>(reload());
  advance(limits::kDrain - 1ms);
  EXPECT_FALSE(environment(0).ended());
  advance(1ms);
  EXPECT_TRUE(environment(0).ended());
  EXPECT_EQ(running.error().code, errc::kPluginNotRunning);
  EXPECT_EQ(record().status, PluginStatus::kRunning);
}

TEST_F(ReloadTest, HooksThatNeverEndAreBoundedByTheTotal) {
  environment(0).handle(
      "plugin.runHooks", [this](script::Invocation, Completion<std::string> done) {
        held_factories_.push_back(std::make_shared<Completion<std::string>>(std::move(done)));
      });
  static_cast<void>(reload());
  advance(limits::kDisposeTotal - 1ms);
  EXPECT_FALSE(environment(0).ended());
  advance(1ms);
  EXPECT_TRUE(environment(0).ended());
}

TEST_F(ReloadTest, AFailingPhaseIsLoggedAndTheRestRuns) {
  const auto step = api_.addDisposeStep(DisposePhase::kCloseWebSockets,
                                        [](const GenerationPtr&, Completion<void> done) {
                                          done(Error{errc::kInternal, "socket lost"});
                                        });
  static_cast<void>(reload());
  EXPECT_THAT(
      logMessages(),
      Contains(HasSubstr("dispose, close WebSockets: close WebSockets failed: socket lost")));
  EXPECT_THAT(calls(environment(0)), Contains("plugin.invalidate"));
}

TEST_F(ReloadTest, HooksHearTheirLimit) {
  static_cast<void>(reload());
  EXPECT_EQ(environment(0).invocations.at(1).meta, R"({"hookMs":5000})");
}

TEST_F(ReloadTest, ReloadsOfOnePluginRunOneAfterAnother) {
  holdFactories();
  Answer<std::vector<ReloadOutcome>> first;
  Answer<std::vector<ReloadOutcome>> second;
  manager_->reload("todo", first.completion());
  manager_->reload("todo", second.completion());
  settle();
  EXPECT_THAT(held_factories_, SizeIs(1));
  (*held_factories_.at(0))(std::string());
  settle();
  EXPECT_TRUE(first.ok());
  EXPECT_FALSE(second.fired());
  (*held_factories_.at(1))(std::string());
  settle();
  EXPECT_EQ(second.value().at(0).record.generation, 3U);
}

TEST_F(ReloadTest, AnEnvironmentThatEndsDuringTheSwitchIsNoticed) {
  const auto running = call(acquire().value());
  Answer<std::vector<ReloadOutcome>> outcome;
  manager_->reload("todo", outcome.completion());
  settle();
  environment(1).end({script::TerminationReason::kProcessExit, 1, "", ""});
  environment(0).answer("rpc", std::string());
  settle();
  EXPECT_EQ(record().status, PluginStatus::kError);
  EXPECT_FALSE(acquire().ok());
}

TEST_F(ReloadTest, AnOldInstanceThatDiesDuringAReloadChangesNothing) {
  holdFactories();
  Answer<std::vector<ReloadOutcome>> outcome;
  manager_->reload("todo", outcome.completion());
  settle();
  environment(0).end({script::TerminationReason::kHeapLimit, 0, "", ""});
  settle();
  EXPECT_EQ(record().status, PluginStatus::kError);
  (*held_factories_.at(0))(std::string());
  settle();
  EXPECT_EQ(record().status, PluginStatus::kRunning);
  advance(2min);
  EXPECT_THAT(runtime_.environments, SizeIs(2));
}

TEST_F(ReloadTest, WithoutAnIdEveryEnabledPluginIsReloaded) {
  install(
      writePlugin("other", R"({"name":"other","version":"1.0.0","svc":{"server":"server.ts"}})"));
  const auto outcomes = reload("");
  ASSERT_THAT(outcomes.value(), SizeIs(2));
  EXPECT_EQ(outcomes.value().at(0).record.id, "other");
  EXPECT_EQ(outcomes.value().at(0).record.generation, 2U);
  EXPECT_EQ(outcomes.value().at(1).record.id, "todo");
}

TEST_F(ReloadTest, TooManyWaitingOperationsAreRefused) {
  holdFactories();
  std::vector<Answer<std::vector<ReloadOutcome>>> answers(JobQueue::kLimit + 2);
  for (auto& answer : answers) {
    manager_->reload("todo", answer.completion());
    settle();
  }
  EXPECT_EQ(answers.back().value().at(0).failure->code, errc::kOverloaded);
  passFactories();
  (*held_factories_.at(0))(std::string());
  settle();
  EXPECT_TRUE(answers.front().ok());
}

}  // namespace
}  // namespace svc::plugins
