#include "dispose_sequence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fakes/fake_executor.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class DisposeSequenceTest : public ::testing::Test {
 protected:
  svc::test::FakeExecutor main_;
  DisposePlan plan_;
  std::vector<std::string> ran_;
  std::vector<std::string> reports_;
  std::vector<Completion<void>> hung_;
  bool done_ = false;

  DisposeSequenceTest() {
    plan_.total = 60s;
    for (auto& phase : plan_.phases) {
      phase.limit = 5s;
    }
  }
  DisposeAction action(std::string name, Status answer = {}) {
    return {name, [this, name, answer](Completion<void> done) {
              ran_.push_back(name);
              done(answer);
            }};
  }
  DisposeAction hanging(std::string name) {
    return {name, [this, name](Completion<void> done) {
              ran_.push_back(name);
              hung_.push_back(std::move(done));
            }};
  }
  void run() {
    const auto report = [this](DisposePhase phase, const std::string& message, bool overran) {
      reports_.push_back(std::string(phaseName(phase)) + ": " + message +
                         (overran ? " (overran)" : ""));
    };
    std::make_shared<DisposeSequence>(main_, std::move(plan_), report)->run([this](const Status&) {
      done_ = true;
    });
    main_.runAll();
  }
};

TEST_F(DisposeSequenceTest, HasTheNinePhasesInTheirOrder) {
  std::vector<std::string> names;
  for (std::size_t index = 0; index < kDisposePhaseCount; ++index) {
    names.emplace_back(phaseName(static_cast<DisposePhase>(index)));
  }
  EXPECT_THAT(names, ElementsAre("close WebSockets", "dispose host worker", "abort tool calls",
                                 "interrupt interactions", "stop services", "run onDispose hooks",
                                 "drain calls", "close databases", "invalidate context"));
}

TEST_F(DisposeSequenceTest, RunsPhasesInOrderEvenWhenOneFails) {
  plan_.at(DisposePhase::kInvalidateContext).actions.push_back(action("invalidate"));
  plan_.at(DisposePhase::kCloseWebSockets)
      .actions.push_back(action("sockets", Error{errc::kInternal, "broken"}));
  plan_.at(DisposePhase::kRunHooks).actions.push_back(action("hooks"));
  run();
  EXPECT_THAT(ran_, ElementsAre("sockets", "hooks", "invalidate"));
  EXPECT_THAT(reports_, ElementsAre("close WebSockets: sockets failed: broken"));
  EXPECT_TRUE(done_);
  EXPECT_EQ(main_.pendingTimers(), 0U);
}

TEST_F(DisposeSequenceTest, WaitsForEveryActionOfAPhase) {
  plan_.at(DisposePhase::kStopServices).actions = {hanging("a"), hanging("b")};
  plan_.at(DisposePhase::kRunHooks).actions.push_back(action("hooks"));
  run();
  hung_.at(0)({});
  main_.runAll();
  EXPECT_THAT(ran_, ElementsAre("a", "b"));
  hung_.at(1)({});
  main_.runAll();
  EXPECT_THAT(ran_, ElementsAre("a", "b", "hooks"));
  EXPECT_TRUE(done_);
}

TEST_F(DisposeSequenceTest, ReportsAnOverrunAndGoesOn) {
  plan_.at(DisposePhase::kStopServices).actions = {hanging("poller"), action("quick")};
  plan_.at(DisposePhase::kRunHooks).actions.push_back(action("hooks"));
  run();
  main_.advance(4999ms);
  EXPECT_THAT(reports_, IsEmpty());
  main_.advance(1ms);
  EXPECT_THAT(reports_,
              ElementsAre("stop services: poller did not finish within 5000 ms (overran)"));
  EXPECT_TRUE(done_);
  hung_.at(0)(Error{errc::kInternal, "too late to matter"});
  main_.runAll();
  EXPECT_EQ(reports_.size(), 1U);
}

TEST_F(DisposeSequenceTest, ADroppedCompletionCountsAsAFailure) {
  plan_.at(DisposePhase::kRunHooks).actions.push_back({"dropper", [](Completion<void>) {}});
  run();
  EXPECT_TRUE(done_);
  EXPECT_THAT(reports_, ElementsAre(HasSubstr("dropper failed")));
}

TEST_F(DisposeSequenceTest, TheTotalEndsEverything) {
  plan_.total = 7s;
  plan_.at(DisposePhase::kStopServices).actions.push_back(hanging("a"));
  plan_.at(DisposePhase::kRunHooks).actions.push_back(hanging("b"));
  plan_.at(DisposePhase::kInvalidateContext).actions.push_back(action("never"));
  run();
  main_.advance(7s);
  EXPECT_TRUE(done_);
  EXPECT_THAT(ran_, ElementsAre("a", "b"));
  ASSERT_EQ(reports_.size(), 2U);
  EXPECT_THAT(reports_.back(), HasSubstr("b did not finish within 7000 ms (limit disposeTotal)"));
  hung_.at(1)({});
  main_.runAll();
  EXPECT_THAT(ran_, ElementsAre("a", "b"));
}

TEST_F(DisposeSequenceTest, AnEmptyPlanIsDoneAtOnce) {
  run();
  EXPECT_TRUE(done_);
}

}  // namespace
}  // namespace svc::plugins
