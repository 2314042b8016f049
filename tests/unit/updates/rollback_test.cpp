#include "svc/common/limits/installs.h"

#include "fixture.h"
#include "updater.h"

namespace svc::updates {
namespace {

using plugins::PluginStatus;
using storage::SnapshotState;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

/// "todo" was updated from 1.0.0 to 1.1.0, which held.
class RollbackTest : public UpdatesFixture {
 protected:
  RollbackTest() {
    installPrevious();
    const Answer<UpdateResult> updated;
    updater_->apply("todo", "", updated.completion());
    settle();
    advance(limits::kStabilise);
    EXPECT_EQ(updated.value().outcome, UpdateResult::Outcome::kUpdated);
    plugin_.events.clear();
  }
  ~RollbackTest() override { updater_->stop(); }

  Answer<RollbackResult> rollBack(const std::string& version = {}) {
    Answer<RollbackResult> answer;
    updater_->rollBack("todo", version, answer.completion());
    settle();
    return answer;
  }
  Answer<RollbackTarget> target() {
    Answer<RollbackTarget> answer;
    updater_->rollbackTarget("todo", answer.completion());
    settle();
    return answer;
  }
  void disable() {
    plugin_.row.enabled = false;
    plugin_.record.enabled = false;
    plugin_.record.status = PluginStatus::kDisabled;
  }

  std::shared_ptr<Activity> activity_ = std::make_shared<Activity>();
  std::shared_ptr<Updater> updater_ = std::make_shared<Updater>(context(), activity_);
};

TEST_F(RollbackTest, ReturnsToTheVersionBeforeWithItsData) {
  const auto answer = rollBack();
  EXPECT_EQ(answer.value().from, "1.1.0");
  EXPECT_EQ(answer.value().to, "1.0.0");
  EXPECT_EQ(answer.value().plugin.status, PluginStatus::kRunning);
  EXPECT_THAT(plugin_.events,
              ElementsAre("suspend: going back to 1.0.0", "adopt: 1.0.0", "load: 1.0.0"));
  EXPECT_EQ(store_.only().state, SnapshotState::kRestored);
  EXPECT_TRUE(store_.only().settled);
  const auto failure = common::Json::parse(plugin_.row.last_failure).value();
  EXPECT_EQ(failure["version"].asString(), "1.1.0");
  EXPECT_TRUE(failure["byHand"].asBool());
}

TEST_F(RollbackTest, IsThereOnce) {
  EXPECT_TRUE(rollBack().fired());
  const auto again = rollBack();
  EXPECT_EQ(again.error().code, errc::kNotFound);
  EXPECT_EQ(target().error().code, errc::kNotFound);
  EXPECT_EQ(plugin_.row.version, "1.0.0");
}

TEST_F(RollbackTest, AnUpdateThatFailsIsNotByHand) {
  EXPECT_TRUE(rollBack().fired());
  plugin_.loads.emplace_back(
      [](plugins::PluginRecord& record) { record.status = PluginStatus::kError; });
  const Answer<UpdateResult> failed;
  updater_->apply("todo", "", failed.completion());
  settle();
  EXPECT_EQ(failed.value().outcome, UpdateResult::Outcome::kRolledBack);
  EXPECT_EQ(plugin_.row.last_failure.find("byHand"), std::string::npos);
  // What the failed update has restored is no update that could be undone.
  EXPECT_EQ(rollBack().error().code, errc::kNotFound);
}

TEST_F(RollbackTest, OfADisabledPluginLeavesItDisabled) {
  disable();
  const auto answer = rollBack();
  EXPECT_EQ(answer.value().to, "1.0.0");
  EXPECT_FALSE(plugin_.row.enabled);
  EXPECT_EQ(answer.value().plugin.status, PluginStatus::kDisabled);
}

TEST_F(RollbackTest, AnAbsentOrOtherVersionIsRefusedBeforeAnythingHappens) {
  EXPECT_EQ(rollBack("0.9.0").error().code, errc::kConflict);
  std::filesystem::remove_all(directory_.path() / "cache/1.0.0");
  const auto gone = rollBack("1.0.0");
  EXPECT_EQ(gone.error().code, errc::kNotFound);
  EXPECT_THAT(gone.error().message, HasSubstr("files of version 1.0.0 are gone"));
  EXPECT_TRUE(plugin_.events.empty());
  EXPECT_EQ(store_.only().state, SnapshotState::kReady);
  EXPECT_FALSE(activity_->update);
}

TEST_F(RollbackTest, AnotherInstallationHasNoSnapshot) {
  plugin_.row.installed_at += 1;
  EXPECT_EQ(rollBack().error().code, errc::kNotFound);
}

TEST_F(RollbackTest, WhatIsUsedInPlaceSaysWhatToDoInstead) {
  plugin_.row.source_kind = "path";
  EXPECT_THAT(rollBack().error().message, HasSubstr("svc plugin reload todo"));
  plugin_.row.source_kind = "builtin";
  EXPECT_THAT(rollBack().error().message, HasSubstr("comes with the service"));
}

TEST_F(RollbackTest, OldSnapshotsAreNoWayBack) {
  updater_->open();
  clock_.advance(limits::kSnapshotKeep);
  advance(limits::kUpdateCheck);
  EXPECT_EQ(target().error().code, errc::kNotFound);
}

TEST_F(RollbackTest, SafeModeBackupsAndUpdatesExcludeIt) {
  safe_mode_ = true;
  EXPECT_EQ(rollBack().error().code, errc::kSafeMode);
  safe_mode_ = false;
  activity_->backup = true;
  EXPECT_EQ(rollBack().error().code, errc::kConflict);
  activity_->backup = false;
  found_.candidate = installs::Candidate{"1.2.0", "npm:svc-plugin-todo@1.2.0", "", ""};
  const Answer<UpdateResult> update;
  updater_->apply("todo", "", update.completion());
  settle();
  EXPECT_EQ(rollBack().error().code, errc::kConflict);
  advance(limits::kStabilise);
  EXPECT_TRUE(update.fired());
}

TEST_F(RollbackTest, AChangeMeanwhileIsAConflictAndKeepsTheWayBack) {
  ON_CALL(switches_, begin).WillByDefault([this](const std::string&, auto done) {
    plugin_.row.enabled = false;
    done(plugins::PluginSwitchPtr(std::make_shared<FakeSwitch>(plugin_)));
  });
  EXPECT_EQ(rollBack().error().code, errc::kConflict);
  EXPECT_TRUE(store_.only().settled);
  EXPECT_EQ(target().value().version, "1.0.0");
}

TEST_F(RollbackTest, OneThatCouldNotBeFinishedCanBeTriedAgain) {
  std::optional<Error> broken = Error{errc::kUnavailable, "the disk is full"};
  ON_CALL(switches_, begin).WillByDefault([&](const std::string&, auto done) {
    store_.broken = broken;
    done(plugins::PluginSwitchPtr(std::make_shared<FakeSwitch>(plugin_)));
  });
  EXPECT_EQ(rollBack().error().code, errc::kUnavailable);
  EXPECT_THAT(plugin_.events.back(), HasSubstr("the rollback to 1.0.0 could not be finished"));
  EXPECT_FALSE(store_.only().settled);
  broken.reset();
  store_.broken.reset();
  EXPECT_EQ(rollBack().value().to, "1.0.0");
}

TEST_F(RollbackTest, TellsAnUnknownPluginApart) {
  Answer<RollbackTarget> unknown;
  updater_->rollbackTarget("other", unknown.completion());
  settle();
  EXPECT_EQ(unknown.error().code, errc::kUnknownPlugin);
}

}  // namespace
}  // namespace svc::updates
