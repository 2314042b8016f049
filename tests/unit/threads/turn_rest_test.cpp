// Agents that rest, and turns that wait for room for theirs.

#include "svc/common/codes.h"

#include "runner_fixture.h"
#include "turn_runner.h"

namespace svc::threads {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::chrono::minutes kIdle{15};

class TurnRestTest : public RunnerFixture {
 protected:
  TurnRestTest() { runner_->bound({.idle = kIdle}); }
  void doTurn() {
    begin();
    finish();
  }
  void pass(std::chrono::milliseconds time) {
    clock_.advance(time);
    runner_->tick();
  }
};

TEST_F(TurnRestTest, AnAgentWithNothingToDoEndsAndTheNextMessageGoesOnWithIt) {
  spawn();
  doTurn();
  pass(kIdle - std::chrono::seconds(1));
  EXPECT_THAT(closed_, IsEmpty());
  pass(std::chrono::seconds(1));
  EXPECT_THAT(closed_, ElementsAre(opened_[0].session));
  const auto before = logTypes();
  EXPECT_TRUE(hear("session/ended", "", R"({"reason":"closed"})"));
  EXPECT_EQ(logTypes(), before) << "nobody sees it";
  EXPECT_EQ(status(), "idle");

  EXPECT_TRUE(send("go on").ok());
  ASSERT_THAT(opened_, SizeIs(2));
  EXPECT_EQ(opened_[1].resume, "acp-1");
  EXPECT_EQ(prompts_.back(), "go on");
}

TEST_F(TurnRestTest, WhatItSaysAfterItsTurnKeepsItForAsLongAgain) {
  spawn();
  doTurn();
  clock_.advance(kIdle - std::chrono::seconds(1));
  EXPECT_TRUE(hear("session/changed", "", "{}"));
  pass(std::chrono::minutes(1));
  EXPECT_THAT(closed_, IsEmpty());
}

TEST_F(TurnRestTest, NoneEndsThatWorksIsAskedForOrHasSomethingRunning) {
  spawn();
  begin();
  pass(kIdle * 2);
  EXPECT_THAT(closed_, IsEmpty()) << "its turn runs";
  EXPECT_TRUE(
      hear("question/asked", turn_,
           R"({"questionId":"q","payload":{"kind":"approval","availableDecisions":["deny"]}})"));
  pass(kIdle * 2);
  EXPECT_THAT(closed_, IsEmpty()) << "somebody is asked";
  finish();
  in_background_.insert(thread_);
  pass(kIdle * 2);
  EXPECT_THAT(closed_, IsEmpty()) << "a tool call goes on behind it";
  in_background_.clear();
  runner_->tick();
  EXPECT_THAT(closed_, SizeIs(1));
}

TEST_F(TurnRestTest, OneThatWouldForgetWhatWasSaidStays) {
  can_go_on_ = false;
  spawn();
  doTurn();
  pass(kIdle * 2);
  EXPECT_THAT(closed_, IsEmpty());
}

TEST_F(TurnRestTest, TheAgentThatRestsMakesRoomForAnotherOne) {
  runner_->bound({.per_machine = 1});
  spawn("first");
  doTurn();
  const auto first = opened_[0].session;
  spawn("second");
  EXPECT_THAT(closed_, ElementsAre(first));
  EXPECT_EQ(prompts_.back(), "second");
}

TEST_F(TurnRestTest, ALoweredBoundEndsWhatRestsBeyondIt) {
  spawn("first");
  doTurn();
  const auto first = opened_[0].session;
  spawn("second");
  doTurn();
  const auto second = opened_[1].session;
  spawn("third");
  begin();
  runner_->bound({.per_machine = 2});
  runner_->tick();
  EXPECT_THAT(closed_, ElementsAre(first));
  runner_->bound({.per_machine = 1});
  runner_->tick();
  EXPECT_THAT(closed_, ElementsAre(first, second)) << "the one at work is within the bound";
  finish();
  runner_->tick();
  EXPECT_THAT(closed_, ElementsAre(first, second));
}

TEST_F(TurnRestTest, ATurnWaitsForRoomHoweverLongAndTheLogSaysForWhat) {
  runner_->bound({.per_machine = 1});
  const auto first = spawn("first");
  begin();
  const auto session = session_;
  const auto turn = turn_;
  const auto second = spawn("second");
  EXPECT_EQ(status(), "starting");
  for (int minute = 0; minute < 10; ++minute) {
    pass(std::chrono::minutes(1));
  }
  EXPECT_EQ(status(), "starting") << "it fails by no time";
  EXPECT_THAT(prompts_, ElementsAre("first"));
  const auto steps =
      store_.events({.thread_id = second, .types = {"system/thread-provisioning"}, .limit = 10});
  ASSERT_THAT(steps.value(), SizeIs(1)) << "it is said once";
  const auto said = parsed(steps.value().front().data);
  EXPECT_EQ(said["status"].asString(), "active");
  EXPECT_THAT(said["entries"].items().front()["text"].asString(),
              ::testing::HasSubstr("1 are at work (agentProcesses.perMachine)"));

  thread_ = first;
  session_ = session;
  turn_ = turn;
  finish();
  runner_->tick();
  EXPECT_THAT(closed_, ElementsAre(session));
  EXPECT_THAT(prompts_, ElementsAre("first", "second"));
  const auto after = store_.events({.thread_id = second,
                                    .descending = true,
                                    .types = {"system/thread-provisioning"},
                                    .limit = 1});
  EXPECT_EQ(parsed(after.value().front().data)["status"].asString(), "completed");
}

TEST_F(TurnRestTest, ATurnThatWaitsForRoomCanBeStopped) {
  runner_->bound({.per_machine = 1});
  spawn("first");
  begin();
  spawn("second");
  EXPECT_TRUE(stop().ok());
  runner_->tick();
  EXPECT_EQ(status(), "idle");
  EXPECT_THAT(prompts_, ElementsAre("first"));
}

}  // namespace
}  // namespace svc::threads
