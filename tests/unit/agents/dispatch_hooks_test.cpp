#include "dispatch_hooks.h"

#include <optional>

#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/agents.h"
#include "svc/common/limits/plugins.h"

#include "fakes/fake_executor.h"
#include "fakes/fake_generation.h"

namespace svc::agents {
namespace {

using Kind = DispatchDecision::Kind;

class DispatchHooksTest : public ::testing::Test {
 protected:
  std::shared_ptr<plugins::FakeGeneration> load(const std::string& id) {
    auto generation = loaded_.load(id);
    generation->registers("hooks", R"(["message.dispatch"])");
    return generation;
  }
  void decide() {
    hooks_.decide(
        common::RawJson(R"({"attempt":"start-turn"})"),
        [this](Result<DispatchDecision> decision) { decision_ = std::move(decision).value(); });
    main_.runAll();
  }
  void answer(plugins::FakeGeneration& generation, Result<std::string> result) {
    ASSERT_TRUE(generation.answer("hooks.decide", std::move(result)));
    main_.runAll();
  }

  // First: calls that are still open are answered when the rest goes.
  std::optional<DispatchDecision> decision_;
  test::FakeMainExecutor main_;
  plugins::FakeLoadedPlugins loaded_;
  DispatchHooks hooks_{loaded_, main_};
};

TEST_F(DispatchHooksTest, ProceedsWhenNobodyListens) {
  loaded_.load("a");
  decide();
  EXPECT_EQ(decision_->kind, Kind::kProceed);
}

TEST_F(DispatchHooksTest, APluginThatIsBeingLoadedIsAskedToo) {
  loaded_.starting = true;
  decide();
  EXPECT_FALSE(decision_);
  EXPECT_EQ(loaded_.waited, limits::kPluginsStart);
  const auto late = load("late");
  loaded_.settle();
  answer(*late, std::string(R"({"kind":"reject","message":"no"})"));
  EXPECT_EQ(decision_->plugin_id, "late");
}

TEST_F(DispatchHooksTest, AsksOneAfterTheOtherById) {
  const auto second = load("b");
  const auto first = load("a");
  decide();
  EXPECT_EQ(first->calls.size(), 1U);
  EXPECT_EQ(first->calls[0].invocation.meta, "message.dispatch");
  EXPECT_EQ(first->calls[0].invocation.body, R"({"attempt":"start-turn"})");
  EXPECT_TRUE(second->calls.empty());
  answer(*first, std::string(R"({"kind":"proceed"})"));
  answer(*second, std::string(R"({"kind":"proceed"})"));
  EXPECT_EQ(decision_->kind, Kind::kProceed);
}

TEST_F(DispatchHooksTest, EndsAtTheFirstReject) {
  const auto first = load("a");
  const auto second = load("b");
  decide();
  answer(*first, std::string(R"({"kind":"reject","message":"not now"})"));
  EXPECT_EQ(decision_->kind, Kind::kReject);
  EXPECT_EQ(decision_->plugin_id, "a");
  EXPECT_EQ(decision_->text, "not now");
  EXPECT_TRUE(second->calls.empty());
}

TEST_F(DispatchHooksTest, TakesTheFirstWaitUnlessALaterOneRejects) {
  const auto first = load("a");
  const auto second = load("b");
  const auto third = load("c");
  decide();
  answer(*first, std::string(R"({"kind":"wait","reason":"queue","sendAt":5000})"));
  answer(*second, std::string(R"({"kind":"wait","reason":"other"})"));
  answer(*third, std::string(R"({"kind":"proceed"})"));
  EXPECT_EQ(decision_->kind, Kind::kWait);
  EXPECT_EQ(decision_->plugin_id, "a");
  EXPECT_EQ(decision_->text, "queue");
  EXPECT_EQ(decision_->send_at, 5000);
}

TEST_F(DispatchHooksTest, RejectsWhenAHookThrows) {
  const auto first = load("a");
  decide();
  answer(*first, Error{errc::kHandlerError, "broken"});
  EXPECT_EQ(decision_->kind, Kind::kReject);
  EXPECT_EQ(decision_->text, R"(the hook "message.dispatch" of plugin "a" failed: broken)");
}

TEST_F(DispatchHooksTest, ALoadThatIsReplacedMeanwhileIsNotItsLastWord) {
  const auto old = load("a");
  decide();
  const auto next = load("a");
  answer(*old, Error{errc::kPluginNotRunning, "disposed"});
  EXPECT_FALSE(decision_);
  answer(*next, std::string(R"({"kind":"wait","reason":"later"})"));
  EXPECT_EQ(decision_->kind, Kind::kWait);
  EXPECT_EQ(decision_->text, "later");
}

TEST_F(DispatchHooksTest, ALoadWithoutTheHookHasNoSay) {
  const auto old = load("a");
  decide();
  loaded_.load("a");
  answer(*old, Error{errc::kPluginNotRunning, "disposed"});
  EXPECT_EQ(decision_->kind, Kind::kProceed);
}

TEST_F(DispatchHooksTest, RejectsWhenAHookTakesTooLong) {
  const auto first = load("a");
  decide();
  main_.advance(limits::kHookDecision);
  EXPECT_EQ(decision_->kind, Kind::kReject);
  EXPECT_NE(decision_->text.find("limit hookDecision"), std::string::npos);
  EXPECT_TRUE(first->calls.at(0).invocation.stop.stop_requested());
}

TEST_F(DispatchHooksTest, TellsListenersToLookAgain) {
  std::string asked;
  {
    const auto handle =
        hooks_.onRecheck([&asked](const std::string& plugin_id) { asked += plugin_id; });
    hooks_.recheck("a");
  }
  hooks_.recheck("b");
  EXPECT_EQ(asked, "a");
}

}  // namespace
}  // namespace svc::agents
