#include "update_run.h"

#include "svc/common/codes.h"
#include "svc/common/limits/installs.h"

#include "fixture.h"

namespace svc::updates {
namespace {

using plugins::PluginRecord;
using plugins::PluginStatus;
using storage::SnapshotState;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Return;

/// Stops before one step.
class StoppingObserver final : public IUpdateObserver {
 public:
  explicit StoppingObserver(std::string step) : step_(std::move(step)) {}
  void before(const std::string&, std::string_view step, Completion<void> proceed) override {
    seen.emplace_back(step);
    if (step == step_) {
      stopped = std::move(proceed);
    } else {
      proceed({});
    }
  }

  std::vector<std::string> seen;
  Completion<void> stopped;

 private:
  std::string step_;
};

class UpdateRunTest : public UpdatesFixture {
 protected:
  Answer<UpdateResult> answer_;

  static std::function<void(PluginRecord&)> as(PluginStatus status,
                                               const std::string& detail = {}) {
    return [status, detail](PluginRecord& record) {
      record.status = status;
      record.status_detail = detail;
    };
  }
  [[nodiscard]] std::string reason() const {
    return common::Json::parse(answer_.error().details).value()["reason"].asString();
  }
};

TEST_F(UpdateRunTest, StepsAreInTheirOrder) {
  installPrevious();
  StoppingObserver update_steps("");
  update(answer_, &update_steps);
  advance(limits::kStabilise);
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kUpdated);
  EXPECT_THAT(update_steps.seen, ElementsAre("read", "resolve", "stage", "take turn",
                                             "hold and dispose", "begin snapshot", "take snapshot",
                                             "switch", "load", "stabilise", "settle"));

  StoppingObserver rollback_steps("");
  Answer<UpdateResult> rolled_back;
  const auto by_hand = std::make_shared<UpdateRun>(context(&rollback_steps), "todo");
  by_hand->rollBack("", rolled_back.completion());
  settle();
  EXPECT_EQ(rolled_back.value().outcome, UpdateResult::Outcome::kRolledBack);
  EXPECT_THAT(rollback_steps.seen,
              ElementsAre("read installed", "find snapshot", "decide rollback", "take turn back",
                          "hold and dispose", "restore files", "restore rows", "load previous"));
}

TEST_F(UpdateRunTest, AVersionThatDoesNotHoldGoesOnWithTheStepsOfARollback) {
  plugin_.loads.push_back(as(PluginStatus::kError));
  StoppingObserver observer("");
  update(answer_, &observer);
  EXPECT_THAT(observer.seen,
              ElementsAre("read", "resolve", "stage", "take turn", "hold and dispose",
                          "begin snapshot", "take snapshot", "switch", "load", "stabilise",
                          "decide rollback", "take turn back", "hold and dispose", "restore files",
                          "restore rows", "load previous"));
}

TEST_F(UpdateRunTest, AnswersAfterTheWindowWithTheNewVersion) {
  update(answer_);
  EXPECT_THAT(plugin_.events,
              ElementsAre("suspend: being updated to 1.1.0", "replace: 1.1.0", "load: 1.1.0"));
  EXPECT_FALSE(plugin_.turn_taken);
  advance(limits::kStabilise - std::chrono::milliseconds{1});
  EXPECT_FALSE(answer_.fired());
  EXPECT_FALSE(store_.only().settled);
  advance(std::chrono::milliseconds{1});
  ASSERT_TRUE(answer_.fired());
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kUpdated);
  EXPECT_EQ(answer_.value().from, "1.0.0");
  EXPECT_EQ(answer_.value().to, "1.1.0");
  EXPECT_EQ(store_.only().state, SnapshotState::kReady);
  EXPECT_TRUE(store_.only().settled);
  EXPECT_TRUE(listeners_.empty());
}

TEST_F(UpdateRunTest, TheSnapshotIsReadyBeforeTheRowIsSwitched) {
  StoppingObserver observer("switch");
  update(answer_, &observer);
  EXPECT_EQ(store_.only().state, SnapshotState::kReady);
  EXPECT_EQ(plugin_.row.version, "1.0.0");
  observer.stopped({});
  settle();
  advance(limits::kStabilise);
  EXPECT_EQ(plugin_.row.version, "1.1.0");
}

TEST_F(UpdateRunTest, NothingNewerIsCurrentWithoutTouchingThePlugin) {
  found_.candidate = installs::Candidate{"1.0.0", "npm:svc-plugin-todo@1.0.0", "", ""};
  update(answer_);
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kCurrent);
  EXPECT_EQ(answer_.value().to, "");
  EXPECT_TRUE(plugin_.events.empty());
}

TEST_F(UpdateRunTest, TheSameVersionFromAnotherCommitIsNewer) {
  found_.candidate = installs::Candidate{"1.0.0", "git:url@def", "", ""};
  update(answer_);
  EXPECT_FALSE(plugin_.events.empty());
  advance(limits::kStabilise);
  EXPECT_TRUE(answer_.fired());
}

TEST_F(UpdateRunTest, ABlockedVersionAloneIsIncompatibleAndSaysWhy) {
  found_.candidate.reset();
  found_.blocked = installs::Candidate{"2.0.0", "npm:svc-plugin-todo@2.0.0", "", ""};
  found_.blocked_reasons = {"it needs svc >=9"};
  update(answer_);
  EXPECT_EQ(answer_.error().code, errc::kIncompatible);
  EXPECT_THAT(answer_.error().message, HasSubstr("it needs svc >=9"));
}

TEST_F(UpdateRunTest, APinnedSourceIsRefused) {
  found_.pinned = true;
  update(answer_);
  EXPECT_EQ(answer_.error().code, errc::kUpdateRefused);
  EXPECT_EQ(reason(), "pinned");
}

TEST_F(UpdateRunTest, WhatWasConfirmedIsInstalledOrNothing) {
  found_.candidate = installs::Candidate{"1.1.0", "git:url@def", "", ""};
  EXPECT_CALL(sources_, redirected(_, _)).Times(0);
  const auto ask = [&](const std::string& confirmed) {
    const auto run = std::make_shared<UpdateRun>(context(), "todo");
    run->run(R"({"confirmedSource":")" + confirmed + "\"}", answer_.completion());
    settle();
  };
  ask("git:url@abc");
  EXPECT_EQ(answer_.error().code, errc::kUpdateRefused);
  EXPECT_EQ(reason(), "source_changed");
  EXPECT_THAT(answer_.error().message, HasSubstr("git:url@def"));
  EXPECT_TRUE(plugin_.events.empty());
}

TEST_F(UpdateRunTest, AVersionThatWasConfirmedIsInstalled) {
  found_.candidate = installs::Candidate{"1.1.0", "git:url@def", "", ""};
  const auto run = std::make_shared<UpdateRun>(context(), "todo");
  run->run(R"({"confirmedSource":"git:url@def"})", answer_.completion());
  settle();
  advance(limits::kStabilise);
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kUpdated);
}

TEST_F(UpdateRunTest, AnotherSourceIsAskedAndItsVersionTakenWhicheverItIs) {
  const std::string request = R"({"source":"npm:svc-plugin-todo@^1"})";
  auto there = plugin_.row;
  there.source = "npm:svc-plugin-todo@^1";
  found_.candidate = installs::Candidate{"0.9.0", "npm:svc-plugin-todo@0.9.0", "", ""};
  EXPECT_CALL(sources_, redirected(_, request)).WillOnce(Return(Result<storage::PluginRow>(there)));
  EXPECT_CALL(sources_, resolve(Field(&storage::PluginRow::source, there.source), _, _));
  EXPECT_CALL(sources_, stage(Field(&storage::PluginRow::source, there.source), _, _, _, _));
  const auto run = std::make_shared<UpdateRun>(context(), "todo");
  run->run(request, answer_.completion());
  settle();
  advance(limits::kStabilise);
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kUpdated);
}

TEST_F(UpdateRunTest, TheSourceThatIsInstalledIsNothingToDoWhileItMeansTheSame) {
  found_.candidate = installs::Candidate{"1.0.0", plugin_.row.resolved, "", ""};
  EXPECT_CALL(sources_, redirected).WillOnce(Return(Result<storage::PluginRow>(plugin_.row)));
  EXPECT_CALL(sources_, stage).Times(0);
  const auto run = std::make_shared<UpdateRun>(context(), "todo");
  run->run(R"({"source":"npm:svc-plugin-todo"})", answer_.completion());
  settle();
  ASSERT_TRUE(answer_.fired());
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kCurrent);
  EXPECT_TRUE(plugin_.events.empty());
}

TEST_F(UpdateRunTest, AnotherSourceOfTheSameFilesIsFollowedWithoutALoad) {
  auto there = plugin_.row;
  there.source = "npm:svc-plugin-todo@^1";
  found_.candidate = installs::Candidate{"1.0.0", plugin_.row.resolved, "", ""};
  plugin_.row.history = "[1]";
  EXPECT_CALL(sources_, redirected).WillOnce(Return(Result<storage::PluginRow>(there)));
  EXPECT_CALL(sources_, stage).WillOnce([&there](auto, auto, auto, auto, auto done) {
    there.history = "[1,2]";
    done(there);
  });
  const auto run = std::make_shared<UpdateRun>(context(), "todo");
  run->run(R"({"source":"npm:svc-plugin-todo@^1"})", answer_.completion());
  settle();
  ASSERT_TRUE(answer_.fired());
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kCurrent);
  EXPECT_THAT(plugin_.events, ElementsAre("replace: 1.0.0"));
  EXPECT_EQ(plugin_.row.source, "npm:svc-plugin-todo@^1");
  EXPECT_EQ(plugin_.row.history, "[1]");
  EXPECT_FALSE(plugin_.turn_taken);
}

TEST_F(UpdateRunTest, ARemovalWhileItIsWatchedIsAConflict) {
  update(answer_);
  // First it is disposed of, then it is gone.
  plugin_.record.status = PluginStatus::kDisabled;
  announce();
  EXPECT_FALSE(answer_.fired());
  plugin_.record.id = "other";
  announce();
  ASSERT_TRUE(answer_.fired());
  EXPECT_EQ(answer_.error().code, errc::kConflict);
}

TEST_F(UpdateRunTest, ASourceThatIsAnotherOneIsRefusedBeforeItIsAsked) {
  EXPECT_CALL(sources_, redirected)
      .WillOnce(Return(Result<storage::PluginRow>(Error{errc::kInstallRefused, "no", ""})));
  EXPECT_CALL(sources_, resolve).Times(0);
  const auto run = std::make_shared<UpdateRun>(context(), "todo");
  run->run(R"({"source":"npm:x"})", answer_.completion());
  settle();
  EXPECT_EQ(answer_.error().code, errc::kUpdateRefused);
  EXPECT_TRUE(plugin_.events.empty());
}

TEST_F(UpdateRunTest, APathPluginIsRefusedWithoutAskingTheSource) {
  plugin_.row.source_kind = "path";
  EXPECT_CALL(sources_, resolve).Times(0);
  update(answer_);
  EXPECT_EQ(answer_.error().code, errc::kUpdateRefused);
  EXPECT_EQ(reason(), "pinned");
}

TEST_F(UpdateRunTest, AnUnknownPluginIsUnknown) {
  plugin_.record.id = "other";
  update(answer_);
  EXPECT_EQ(answer_.error().code, errc::kUnknownPlugin);
}

TEST_F(UpdateRunTest, SafeModeRefusesBeforeAnythingIsDownloaded) {
  safe_mode_ = true;
  EXPECT_CALL(sources_, resolve).Times(0);
  update(answer_);
  EXPECT_EQ(answer_.error().code, errc::kSafeMode);
}

TEST_F(UpdateRunTest, AFailedDownloadLeavesThePluginAlone) {
  EXPECT_CALL(sources_, stage).WillOnce([](auto, auto, auto, auto, auto done) {
    done(Error{errc::kUnavailable, "no network"});
  });
  update(answer_);
  EXPECT_EQ(answer_.error().message, "no network");
  EXPECT_TRUE(plugin_.events.empty());
}

TEST_F(UpdateRunTest, WhatTheSourceRefusesIsARefusedUpdateWithItsReason) {
  EXPECT_CALL(sources_, stage).WillOnce([](auto, auto, auto, auto, auto done) {
    done(Error{errc::kInstallRefused, "the build failed", R"({"reason":"build_failed"})"});
  });
  update(answer_);
  EXPECT_EQ(answer_.error().code, errc::kUpdateRefused);
  EXPECT_EQ(reason(), "build_failed");
}

TEST_F(UpdateRunTest, AChangeWhileItIsStagedIsAConflict) {
  StoppingObserver observer("take turn");
  update(answer_, &observer);
  plugin_.row = rowOf("1.0.5");
  observer.stopped({});
  settle();
  EXPECT_EQ(answer_.error().code, errc::kConflict);
  EXPECT_TRUE(plugin_.events.empty());
  EXPECT_FALSE(plugin_.turn_taken);
}

TEST_F(UpdateRunTest, AReloadWhileItIsStagedIsNone) {
  StoppingObserver observer("take turn");
  update(answer_, &observer);
  plugin_.row.generation = 9;
  observer.stopped({});
  settle();
  EXPECT_FALSE(answer_.fired());
  EXPECT_EQ(plugin_.events.size(), 3U);
  advance(limits::kStabilise);
  EXPECT_TRUE(answer_.fired());
}

TEST_F(UpdateRunTest, ARemovalWhileItIsStagedIsAConflict) {
  EXPECT_CALL(switches_, begin).WillOnce([](auto, auto done) {
    done(Error{errc::kUnknownPlugin, "no plugin"});
  });
  update(answer_);
  EXPECT_EQ(answer_.error().code, errc::kConflict);
}

TEST_F(UpdateRunTest, WithoutASnapshotTheOldVersionRunsOn) {
  store_.broken = Error{errc::kUnavailable, "the disk is full"};
  update(answer_);
  EXPECT_EQ(answer_.error().message, "the disk is full");
  EXPECT_THAT(plugin_.events, ElementsAre("suspend: being updated to 1.1.0", "load: 1.0.0"));
  EXPECT_FALSE(plugin_.turn_taken);
}

TEST_F(UpdateRunTest, ADisabledPluginIsUpdatedWithoutAWindow) {
  plugin_.row.enabled = false;
  update(answer_);
  ASSERT_TRUE(answer_.fired());
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kUpdated);
  EXPECT_EQ(plugin_.row.version, "1.1.0");
}

TEST_F(UpdateRunTest, AnOldFailureIsForgottenByTheNextUpdate) {
  plugin_.row.last_failure = R"({"version":"1.0.9"})";
  update(answer_);
  EXPECT_EQ(plugin_.row.last_failure, "");
  advance(limits::kStabilise);
  EXPECT_TRUE(answer_.fired());
}

// Rollbacks

class FinishedRollbackTest : public UpdateRunTest,
                             public ::testing::WithParamInterface<PluginStatus> {};

TEST_P(FinishedRollbackTest, AStatusThatCannotStayBringsTheOldVersionBack) {
  plugin_.loads.push_back(as(GetParam(), "it broke"));
  store_.data.key_values.emplace("list", common::RawJson("[1]"));
  update(answer_);
  ASSERT_TRUE(answer_.fired());
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kRolledBack);
  EXPECT_EQ(answer_.value().detail, "it broke");
  EXPECT_THAT(plugin_.events,
              ElementsAre("suspend: being updated to 1.1.0", "replace: 1.1.0", "load: 1.1.0",
                          "suspend: going back to 1.0.0", "adopt: 1.0.0", "load: 1.0.0"));
  EXPECT_EQ(store_.only().state, SnapshotState::kRestored);
  EXPECT_TRUE(store_.only().settled);
  EXPECT_EQ(store_.restored_row->version, "1.0.0");
  const auto failure = common::Json::parse(store_.restored_row->last_failure).value();
  EXPECT_EQ(failure["version"].asString(), "1.1.0");
  EXPECT_EQ(failure["detail"].asString(), "it broke");
  EXPECT_EQ(failure["at"].asInteger(), clock_.nowMs());
  EXPECT_FALSE(plugin_.turn_taken);
}

INSTANTIATE_TEST_SUITE_P(Statuses, FinishedRollbackTest,
                         ::testing::Values(PluginStatus::kError, PluginStatus::kIncompatible,
                                           PluginStatus::kMissing, PluginStatus::kDegraded,
                                           PluginStatus::kNeedsConfiguration));

TEST_F(UpdateRunTest, NeedsConfigurationStaysWhenItWasSoBefore) {
  plugin_.record.status = PluginStatus::kNeedsConfiguration;
  plugin_.loads.push_back(as(PluginStatus::kNeedsConfiguration));
  update(answer_);
  advance(limits::kStabilise);
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kUpdated);
}

TEST_F(UpdateRunTest, AFailureInsideTheWindowRollsBackAtOnce) {
  update(answer_);
  advance(limits::kStabilise / 2);
  plugin_.record.status = PluginStatus::kError;
  announce();
  ASSERT_TRUE(answer_.fired());
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kRolledBack);
  EXPECT_EQ(plugin_.row.version, "1.0.0");
}

TEST_F(UpdateRunTest, AServiceThatFailsInTheWindowIsAFailedActivation) {
  update(answer_);
  plugins::ServiceInfo service;
  service.name = "sync";
  service.state = plugins::ServiceState::kBackoff;
  service.last_error = plugins::ServiceError{1, "no route"};
  plugin_.record.services = {service};
  announce();
  ASSERT_TRUE(answer_.fired());
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kRolledBack);
  EXPECT_EQ(answer_.value().detail, "service \"sync\" failed: no route");
}

TEST_F(UpdateRunTest, AFailureAfterTheWindowIsNone) {
  update(answer_);
  advance(limits::kStabilise);
  plugin_.record.status = PluginStatus::kError;
  announce();
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kUpdated);
  EXPECT_EQ(plugin_.row.version, "1.1.0");
}

TEST_F(UpdateRunTest, TheWindowCountsFromTheEndOfALoad) {
  plugin_.loads.push_back(as(PluginStatus::kStarting));
  update(answer_);
  advance(limits::kStabilise);
  EXPECT_FALSE(answer_.fired());
  plugin_.record.status = PluginStatus::kRunning;
  announce();
  advance(limits::kStabilise - std::chrono::milliseconds{1});
  EXPECT_FALSE(answer_.fired());
  advance(std::chrono::milliseconds{1});
  EXPECT_TRUE(answer_.fired());
}

TEST_F(UpdateRunTest, DisablingInTheWindowIsAConflictAndKeepsTheNewVersion) {
  update(answer_);
  plugin_.record.enabled = false;
  plugin_.record.status = PluginStatus::kDisabled;
  announce();
  EXPECT_EQ(answer_.error().code, errc::kConflict);
  EXPECT_EQ(plugin_.row.version, "1.1.0");
  EXPECT_TRUE(store_.only().settled);
}

TEST_F(UpdateRunTest, AChangeBeforeTheRollbackTakesItsTurnIsAConflict) {
  StoppingObserver observer("take turn back");
  plugin_.loads.push_back(as(PluginStatus::kError));
  update(answer_, &observer);
  plugin_.row.enabled = false;
  observer.stopped({});
  settle();
  EXPECT_EQ(answer_.error().code, errc::kConflict);
  EXPECT_EQ(plugin_.events.back(), "load: 1.1.0");
  EXPECT_TRUE(store_.only().settled);
}

TEST_F(UpdateRunTest, ARollbackThatCannotFinishLoadsNothing) {
  StoppingObserver observer("restore rows");
  plugin_.loads.push_back(as(PluginStatus::kError, "it broke"));
  update(answer_, &observer);
  store_.broken = Error{errc::kUnavailable, "the disk is full"};
  observer.stopped({});
  settle();
  EXPECT_EQ(answer_.error().message, "the disk is full");
  EXPECT_THAT(plugin_.events.back(), HasSubstr("give up: "));
  EXPECT_THAT(plugin_.events.back(), HasSubstr("the disk is full"));
  EXPECT_EQ(store_.only().state, SnapshotState::kRestoring);
  EXPECT_FALSE(store_.only().settled);
}

TEST_F(UpdateRunTest, AStopLeavesTheDecisionToTheNextStart) {
  const auto run = update(answer_);
  run->stop();
  settle();
  EXPECT_EQ(answer_.error().code, errc::kUnavailable);
  EXPECT_FALSE(store_.only().settled);
  EXPECT_EQ(store_.only().state, SnapshotState::kReady);
  EXPECT_TRUE(listeners_.empty());
}

TEST_F(UpdateRunTest, AStopWhileTheObserverWaitsBeginsNothing) {
  StoppingObserver observer("hold and dispose");
  const auto run = update(answer_, &observer);
  run->stop();
  EXPECT_EQ(answer_.error().code, errc::kUnavailable);
  EXPECT_FALSE(plugin_.turn_taken);
  observer.stopped({});
  settle();
  EXPECT_TRUE(plugin_.events.empty());
}

TEST_F(UpdateRunTest, AResumedWindowEndsLikeAnyOther) {
  const auto begun = snapshots_->begin(rowOf("1.0.0"), rowOf("1.1.0")).value();
  const auto snapshot = snapshots_->take(begun).value();
  plugin_.row = rowOf("1.1.0");
  plugin_.record.root_dir = plugin_.row.root_dir;
  const auto run = std::make_shared<UpdateRun>(context(), "todo");
  run->resume(snapshot, answer_.completion());
  settle();
  EXPECT_TRUE(plugin_.events.empty());
  plugin_.record.status = PluginStatus::kError;
  announce();
  EXPECT_EQ(answer_.value().outcome, UpdateResult::Outcome::kRolledBack);
  EXPECT_THAT(plugin_.events,
              ElementsAre("suspend: going back to 1.0.0", "adopt: 1.0.0", "load: 1.0.0"));
}

}  // namespace
}  // namespace svc::updates
