// How runs end while the store takes nothing.
#include <algorithm>

#include "svc/common/codes.h"

#include "runner_fixture.h"

namespace svc::threads {
namespace {

using ::testing::_;
using ::testing::AnyNumber;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

using TurnEndsTest = RunnerFixture;

TEST_F(TurnEndsTest, StartsOnAFullDiskAndEndsWhatRanLater) {
  spawn();
  begin();
  runner_.reset();
  restartBook();
  store_.broken = Error{errc::kUnavailable, "the disk is full"};
  runner_ = std::make_unique<TurnRunner>(*book_, workers_,
                                         Crew{.agents = &agents_, .environments = &environments_});
  EXPECT_FALSE(runner_->recover().ok());
  EXPECT_EQ(runner_->unstored(), 1U);
  EXPECT_EQ(status(), "active");
  runner_->tick();
  EXPECT_EQ(runner_->unstored(), 1U);
  store_.broken.reset();
  runner_->tick();
  EXPECT_EQ(runner_->unstored(), 0U);
  EXPECT_EQ(status(), "idle");
}

TEST_F(TurnEndsTest, ARunningTurnIsStoppedWhileTheDiskIsFull) {
  spawn();
  begin();
  store_.broken = Error{errc::kUnavailable, "disk full"};
  EXPECT_CALL(agents_, cancel(session_, _)).Times(2);
  forget();
  EXPECT_EQ(stop().value()["status"].asString(), "stopping");
  EXPECT_THAT(told_, Contains(Pair(thread_, "status-changed"))) << "windows see it";
  EXPECT_EQ(runner_->unstored(), 1U);
  EXPECT_EQ(stop().value()["status"].asString(), "stopping") << "who asks again is answered, too";
  EXPECT_FALSE(hear("turn/completed", turn_, R"({"status":"interrupted"})", 2));
  runner_->tick();
  EXPECT_EQ(runner_->unstored(), 1U);

  store_.broken.reset();
  EXPECT_TRUE(hear("turn/completed", turn_, R"({"status":"interrupted"})", 2));
  EXPECT_EQ(runner_->unstored(), 0U);
  EXPECT_EQ(status(), "idle");
  EXPECT_EQ(store_.threads().value().front().status, "idle");
  EXPECT_THAT(turnStates(), ElementsAre("interrupted"));
  const auto types = logTypes();
  ASSERT_GE(types.size(), 2U);
  EXPECT_EQ(types.at(types.size() - 2), "system/thread/interrupted") << "and only once";
  EXPECT_THAT(types, Contains("system/thread/interrupted").Times(1));
  EXPECT_THAT(closed_, ElementsAre(session_));
}

TEST_F(TurnEndsTest, TheEndOfAnEarlierTurnThatIsToldAgainEndsNoStop) {
  spawn();
  begin();
  const auto first = turn_;
  ASSERT_TRUE(hear("turn/completed", first, R"({"status":"completed"})", 2));
  ASSERT_TRUE(send("more").ok());
  ASSERT_TRUE(hear("turn/started", turn_, "{}", 3));
  EXPECT_EQ(stop().value()["status"].asString(), "stopping");
  EXPECT_TRUE(hear("turn/completed", first, R"({"status":"completed"})", 2));
  EXPECT_THAT(closed_, IsEmpty()) << "what it says of the turn that ends is still heard";
  EXPECT_TRUE(hear("turn/completed", turn_, R"({"status":"interrupted"})", 4));
  EXPECT_EQ(status(), "idle");
  EXPECT_THAT(closed_, ElementsAre(session_));
}

TEST_F(TurnEndsTest, ATurnWithoutAnAgentIsStoppedWhileTheDiskIsFullAndNeverBegins) {
  Completion<ReadyEnvironment> ready;
  EXPECT_CALL(environments_, resolve(_, _, _))
      .WillOnce([&](const EnvironmentNeed&, const PlaceListener&,
                    Completion<ReadyEnvironment> done) { ready = std::move(done); });
  spawn();
  store_.broken = Error{errc::kUnavailable, "disk full"};
  EXPECT_EQ(stop().value()["status"].asString(), "stopping");
  ready(ReadyEnvironment{"env_a", "host_a", "/work", Json::object()});
  EXPECT_THAT(opened_, IsEmpty());
  store_.broken.reset();
  runner_->tick();
  EXPECT_EQ(runner_->unstored(), 0U);
  EXPECT_EQ(status(), "idle");
  EXPECT_THAT(turnStates(), ElementsAre("interrupted"));
  EXPECT_THAT(logTypes(), Contains("system/thread/interrupted").Times(1));
}

TEST_F(TurnEndsTest, ATurnThatCannotBeginOnAFullDiskFailsWithTheCauseWhenWritesGoOn) {
  Completion<ReadyEnvironment> ready;
  EXPECT_CALL(environments_, resolve(_, _, _))
      .WillOnce([&](const EnvironmentNeed&, const PlaceListener&,
                    Completion<ReadyEnvironment> done) { ready = std::move(done); });
  spawn();
  store_.broken = Error{errc::kUnavailable, "disk full"};
  ready(ReadyEnvironment{"env_a", "host_a", "/work", Json::object()});
  EXPECT_EQ(runner_->unstored(), 1U);
  store_.broken.reset();
  runner_->tick();
  EXPECT_EQ(status(), "error");
  EXPECT_THAT(turnStates(), ElementsAre("failed"));
  EXPECT_THAT(store_.turns(thread_).value().front().error, HasSubstr("disk full"));
}

class TurnOverRestartTest : public RunnerFixture {
 protected:
  TurnOverRestartTest() { EXPECT_CALL(environments_, resolve(_, _, _)).Times(AnyNumber()); }

  /// The next place is not ready before the test says so.
  void holdPlace() {
    EXPECT_CALL(environments_, resolve(_, _, _))
        .WillOnce([this](const EnvironmentNeed&, const PlaceListener& told,
                         Completion<ReadyEnvironment> done) {
          told_of_place_ = told;
          ready_ = std::move(done);
        })
        .RetiresOnSaturation();
  }

  /// Nobody hears any more what becomes of what was asked for.
  void kill() {
    runner_->rest();
    ready_ = {};
    runner_.reset();
  }

  PlaceListener told_of_place_;
  Completion<ReadyEnvironment> ready_;
};

TEST_F(TurnOverRestartTest, AMessageThatNoAgentHasHadIsBroughtToItByTheNextStart) {
  holdPlace();
  spawn();
  kill();
  restart();
  EXPECT_THAT(prompts_, ElementsAre("hello"));
  begin();
  finish();
  EXPECT_THAT(turnStates(), ElementsAre("completed"));
  EXPECT_THAT(logTypes(), ElementsAre("client/turn/requested", "thread/started", "turn/started",
                                      "turn/input/accepted", "turn/completed"));
}

TEST_F(TurnOverRestartTest, OneThatItsMachineMayHaveIsInterrupted) {
  spawn();
  ASSERT_THAT(turnStates(), ElementsAre("dispatched"));
  restart();
  EXPECT_THAT(turnStates(), ElementsAre("interrupted"));
  EXPECT_THAT(prompts_, ElementsAre("hello")) << "not again";
}

TEST_F(TurnOverRestartTest, AServerThatStopsLeavesItToTheNextOne) {
  holdPlace();
  spawn();
  runner_->rest();
  ready_(Error{errc::kConflict, "the workspace could not be made ready: the machine went"});
  runner_->close();
  EXPECT_THAT(turnStates(), ElementsAre("accepted"));
  restart();
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

TEST_F(TurnOverRestartTest, NothingIsHandedToAnAgentByAServerThatStops) {
  Completion<OpenSession> opened;
  EXPECT_CALL(agents_, open(_, _))
      .WillOnce(
          [&](const SessionRequest&, Completion<OpenSession> done) { opened = std::move(done); });
  spawn();
  runner_->rest();
  opened(OpenSession{"acp-1"});
  EXPECT_THAT(prompts_, IsEmpty());
  EXPECT_THAT(turnStates(), ElementsAre("accepted"));
}

TEST_F(TurnOverRestartTest, ItWaitsForItsMachineAsOneThatWasJustSent) {
  holdPlace();
  spawn();
  holdPlace();
  kill();
  restart();
  ready_(Error{errc::kHostUnavailable, "host \"laptop\" is not connected"});
  EXPECT_EQ(status(), "starting");
  runner_->tick();
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

TEST_F(TurnOverRestartTest, OneOfAThreadThatNobodyWantsAnyMoreIsNotBrought) {
  holdPlace();
  spawn();
  auto row = store_.threads().value().front();
  row.archived_at = 1;
  storage::ThreadChange change;
  change.threads.push_back(row);
  ASSERT_TRUE(store_.apply(change).ok());
  kill();
  restart();
  EXPECT_THAT(prompts_, IsEmpty());
  EXPECT_THAT(turnStates(), ElementsAre("interrupted"));
  EXPECT_EQ(store_.turns(thread_).value().front().error, "the turn was stopped");
}

TEST_F(TurnOverRestartTest, StepsOfTheServerBeforeAreEndedInTheLog) {
  holdPlace();
  spawn();
  told_of_place_({.step = Json::object()
                              .set("key", "setup")
                              .set("type", "step")
                              .set("text", "Setting up")
                              .set("status", "active")});
  kill();
  restart();
  const auto told =
      store_.events({.thread_id = thread_, .types = {"system/thread-provisioning"}}).value();
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(parsed(told.back().data)["status"].asString(), "cancelled");
  EXPECT_EQ(parsed(told.back().data)["provisioningId"].asString(),
            parsed(told.front().data)["provisioningId"].asString());
}

TEST_F(TurnOverRestartTest, PluginsHearOfTheEndOfAnInterruptedTurnOnceTheyAreThere) {
  const auto heard = [this] {
    return std::count(emitted_.begin(), emitted_.end(),
                      std::pair<std::string, std::string>("thread.idle", thread_));
  };
  const auto payload = [this] { return payloads_.back(); };
  for (const bool killed : {true, false}) {
    SCOPED_TRACE(killed ? "killed" : "stopped");
    spawn();
    begin();
    ASSERT_TRUE(hear("item/completed", turn_,
                     R"({"item":{"id":"m","type":"agentMessage","text":"so far"}})"));
    forget();
    if (!killed) {
      runner_->rest();
      runner_->close();
      EXPECT_EQ(status(), "idle");
      EXPECT_EQ(heard(), 0) << "their modules go, too";
    }
    restart();
    EXPECT_EQ(status(), "idle");
    EXPECT_EQ(heard(), 0) << "none is loaded yet";
    restart();  // killed before it could be told
    EXPECT_EQ(heard(), 0);
    runner_->ready();
    EXPECT_EQ(heard(), 1);
    EXPECT_EQ(payload()["thread"]["status"].asString(), "idle");
    EXPECT_EQ(payload()["lastAssistantText"].asString(), "so far");
    runner_->tick();
    EXPECT_EQ(heard(), 1);
    restart();
    runner_->ready();
    EXPECT_EQ(heard(), 0);
  }
}

TEST_F(TurnOverRestartTest, TheEndOfAnInterruptedTurnIsToldBeforeTheNextOneBegins) {
  spawn();
  begin();
  restart();
  ASSERT_TRUE(send("more").ok());
  begin();
  runner_->ready();
  EXPECT_THAT(emitted_, ElementsAre(Pair("thread.idle", thread_), Pair("thread.active", thread_)));
}

TEST_F(TurnOverRestartTest, AnInterruptionThatIsStoredLaterIsToldThen) {
  spawn();
  begin();
  restartBook();
  store_.broken = Error{errc::kUnavailable, "the disk is full"};
  runner_ = std::make_unique<TurnRunner>(*book_, workers_,
                                         Crew{.agents = &agents_, .environments = &environments_});
  EXPECT_FALSE(runner_->recover().ok());
  runner_->ready();
  EXPECT_THAT(emitted_, IsEmpty());
  store_.broken.reset();
  runner_->tick();
  EXPECT_THAT(emitted_, ElementsAre(Pair("thread.idle", thread_)));
}

TEST_F(TurnOverRestartTest, ItIsBroughtOnceAFullDiskTakesWhatHasToBeStoredBefore) {
  holdPlace();
  spawn();
  told_of_place_({.step = Json::object().set("key", "setup").set("status", "active")});
  kill();
  restartBook();
  store_.broken = Error{errc::kUnavailable, "the disk is full"};
  runner_ = std::make_unique<TurnRunner>(*book_, workers_,
                                         Crew{.agents = &agents_, .environments = &environments_});
  EXPECT_FALSE(runner_->recover().ok());
  EXPECT_THAT(prompts_, IsEmpty());
  store_.broken.reset();
  runner_->tick();
  EXPECT_THAT(prompts_, ElementsAre("hello"));
}

}  // namespace
}  // namespace svc::threads
