// How runs end while the store takes nothing.
#include "svc/common/codes.h"

#include "runner_fixture.h"

namespace svc::threads {
namespace {

using ::testing::_;
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

}  // namespace
}  // namespace svc::threads
