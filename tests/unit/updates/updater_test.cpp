#include "updater.h"

#include "svc/common/limits/installs.h"

#include "fixture.h"
#include "mocks/mock_plugin_store.h"

namespace svc::updates {
namespace {

using plugins::PluginStatus;
using storage::SnapshotState;
using ::testing::_;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;

class UpdaterTest : public UpdatesFixture {
 protected:
  UpdaterTest() {
    ON_CALL(plugin_store_, find).WillByDefault([this](const std::string& id) {
      return Result<std::optional<storage::PluginRow>>(
          id == plugin_.row.id ? std::optional(plugin_.row) : std::nullopt);
    });
    ON_CALL(switches_, adopt).WillByDefault([this](const storage::PluginRow& row) {
      plugin_.row = row;
      plugin_.events.push_back((row.enabled ? "adopt: " : "hold: ") + row.version);
    });
  }
  ~UpdaterTest() override { updater_->stop(); }

  /// A snapshot as a stop of the service in this state has left it; the row is switched.
  void leave(SnapshotState state) {
    auto snapshot =
        snapshots_->take(snapshots_->begin(rowOf("1.0.0"), rowOf("1.1.0")).value()).value();
    snapshot.row.state = state;
    snapshot.row.detail = "it broke";
    ASSERT_TRUE(store_.put(snapshot.row).ok());
    plugin_.row = rowOf("1.1.0");
    plugin_.record.root_dir = plugin_.row.root_dir;
  }
  Status recover() { return updater_->recover(plugin_store_); }
  void open() {
    updater_->open();
    settle();
  }

  ::testing::NiceMock<storage::MockPluginStore> plugin_store_;
  std::shared_ptr<Activity> activity_ = std::make_shared<Activity>();
  std::shared_ptr<Updater> updater_ = std::make_shared<Updater>(context(), activity_);
};

TEST_F(UpdaterTest, StartsOnAFullDiskAndStoresTheEndOfAnUpdateLater) {
  leave(SnapshotState::kReady);
  plugin_.row = rowOf("1.0.0");  // it was never switched
  store_.broken = Error{errc::kUnavailable, "the disk is full"};
  ASSERT_TRUE(recover().ok());
  EXPECT_EQ(unfinished_,
            "plugin todo: the end of its update cannot be stored until the data directory can be "
            "written");
  open();
  EXPECT_FALSE(store_.only().settled);
  store_.broken.reset();
  main_.advance(limits::kUpdateCheck);
  settle();
  EXPECT_TRUE(store_.only().settled);
  EXPECT_EQ(unfinished_, "");
}

class InterruptedRollbackTest : public UpdaterTest,
                                public ::testing::WithParamInterface<SnapshotState> {};

TEST_P(InterruptedRollbackTest, IsFinishedBeforePluginsAreLoaded) {
  leave(GetParam());
  plugin_.row.generation = 11;
  ASSERT_TRUE(recover().ok());
  EXPECT_THAT(plugin_.events, ElementsAre("adopt: 1.0.0"));
  EXPECT_EQ(store_.only().state, SnapshotState::kRestored);
  EXPECT_TRUE(store_.only().settled);
  EXPECT_EQ(store_.restored_row->generation, 11U);
  const auto failure = common::Json::parse(store_.restored_row->last_failure).value();
  EXPECT_EQ(failure["detail"].asString(), "it broke");
}

INSTANTIATE_TEST_SUITE_P(States, InterruptedRollbackTest,
                         ::testing::Values(SnapshotState::kRollbackPending,
                                           SnapshotState::kRestoring));

TEST_P(InterruptedRollbackTest, IsFinishedForADisabledPluginToo) {
  leave(GetParam());
  plugin_.row.enabled = false;
  ASSERT_TRUE(recover().ok());
  EXPECT_EQ(store_.only().state, SnapshotState::kRestored);
  EXPECT_EQ(plugin_.row.version, "1.0.0");
  EXPECT_FALSE(plugin_.row.enabled);
}

TEST_F(UpdaterTest, ARollbackThatCannotBeFinishedKeepsThePluginFromLoading) {
  leave(SnapshotState::kRestoring);
  store_.broken = Error{errc::kUnavailable, "the disk is full"};
  ASSERT_TRUE(recover().ok());
  EXPECT_THAT(plugin_.events, ElementsAre("hold: 1.1.0"));
  EXPECT_THAT(unfinished_, HasSubstr("plugin todo is not loaded: its rollback to 1.0.0 could not"));
  EXPECT_FALSE(store_.only().settled);
}

TEST_F(UpdaterTest, AnUpdateThatNeverSwitchedIsSettled) {
  leave(SnapshotState::kReady);
  plugin_.row = rowOf("1.0.0");
  ASSERT_TRUE(recover().ok());
  EXPECT_TRUE(store_.only().settled);
  open();
  EXPECT_TRUE(plugin_.events.empty());
}

TEST_F(UpdaterTest, AnInterruptedWindowIsWatchedAgain) {
  leave(SnapshotState::kReady);
  ASSERT_TRUE(recover().ok());
  EXPECT_TRUE(plugin_.events.empty());
  open();
  plugin_.record.status = PluginStatus::kError;
  EXPECT_THAT(resumed_, testing::IsEmpty());
  announce();
  EXPECT_EQ(plugin_.row.version, "1.0.0");
  EXPECT_EQ(store_.only().state, SnapshotState::kRestored);
  EXPECT_THAT(resumed_, ElementsAre("todo")) << "what was said of it is not so any more";
}

TEST_F(UpdaterTest, AnInterruptedWindowThatHoldsIsSettled) {
  leave(SnapshotState::kReady);
  ASSERT_TRUE(recover().ok());
  open();
  advance(limits::kStabilise);
  EXPECT_TRUE(store_.only().settled);
  EXPECT_EQ(plugin_.row.version, "1.1.0");
}

TEST_F(UpdaterTest, ARemovedPluginLeavesNothingToDo) {
  leave(SnapshotState::kRollbackPending);
  plugin_.row.id = "other";
  ASSERT_TRUE(recover().ok());
  EXPECT_TRUE(store_.only().settled);
  EXPECT_TRUE(plugin_.events.empty());
}

TEST_F(UpdaterTest, OnePluginHasOneUpdateAtATime) {
  const Answer<UpdateResult> first;
  const Answer<UpdateResult> second;
  updater_->apply("todo", "", first.completion());
  settle();
  updater_->apply("todo", "", second.completion());
  EXPECT_EQ(second.error().code, errc::kConflict);
  advance(limits::kStabilise);
  EXPECT_TRUE(first.fired());
  const Answer<UpdateResult> third;
  updater_->apply("todo", "", third.completion());
  settle();
  EXPECT_EQ(third.value().outcome, UpdateResult::Outcome::kCurrent);
}

TEST_F(UpdaterTest, TheFilesOfAVersionThatCanComeBackAreKept) {
  ASSERT_TRUE(
      snapshots_
          ->settle(
              snapshots_->take(snapshots_->begin(rowOf("1.0.0"), rowOf("1.1.0")).value()).value())
          .ok());
  EXPECT_CALL(sources_, keep(Field(&storage::PluginRow::version, "1.0.0")));
  open();
}

TEST_F(UpdaterTest, SnapshotsGoWithTheirPlugin) {
  ASSERT_TRUE(snapshots_->begin(rowOf("1.0.0"), rowOf("1.1.0")).ok());
  open();
  announce();
  EXPECT_EQ(store_.rows.size(), 1U);
  plugin_.row.id = "other";
  plugin_.record.id = "other";
  announce();
  EXPECT_TRUE(store_.rows.empty());
}

TEST_F(UpdaterTest, OldSnapshotsGoWithoutARestart) {
  open();
  ASSERT_TRUE(snapshots_->settle(snapshots_->begin(rowOf("1.0.0"), rowOf("1.1.0")).value()).ok());
  clock_.advance(limits::kSnapshotKeep);
  advance(limits::kUpdateCheck);
  EXPECT_TRUE(store_.rows.empty());
}

TEST_F(UpdaterTest, ABackupAndAnUpdateExcludeEachOther) {
  activity_->backup = true;
  const Answer<UpdateResult> refused;
  updater_->apply("todo", "", refused.completion());
  EXPECT_EQ(refused.error().code, errc::kConflict);
  activity_->backup = false;
  const Answer<UpdateResult> updated;
  updater_->apply("todo", "", updated.completion());
  settle();
  EXPECT_TRUE(activity_->update);
  advance(limits::kStabilise);
  EXPECT_TRUE(updated.fired());
  EXPECT_FALSE(activity_->update);
}

/// Safe mode within the window of an update.
class HeldUpdateTest : public UpdaterTest {
 protected:
  void SetUp() override {
    installPrevious();
    updater_->open();
    updater_->apply("todo", "", updated_.completion());
    settle();
    advance(limits::kStabilise / 2);
    safeMode(true);
  }
  void safeMode(bool enabled) {
    safe_mode_ = enabled;
    plugin_.record.status = enabled ? PluginStatus::kDisabled : PluginStatus::kStarting;
    announce();
  }
  void becomes(PluginStatus status) {
    plugin_.record.status = status;
    announce();
  }

  Answer<UpdateResult> updated_;
};

TEST_F(HeldUpdateTest, IsNotDecidedAndHoldsNothingUp) {
  ASSERT_TRUE(updated_.fired());
  EXPECT_EQ(updated_.error().code, errc::kSafeMode);
  EXPECT_FALSE(activity_->update) << "a backup may be taken";
  advance(2 * limits::kStabilise);
  EXPECT_FALSE(store_.only().settled);
  EXPECT_EQ(plugin_.row.version, "1.1.0");
}

TEST_F(HeldUpdateTest, GoesBackWhenItFailsAfterSafeMode) {
  safeMode(false);
  becomes(PluginStatus::kError);
  EXPECT_EQ(plugin_.row.version, "1.0.0");
  EXPECT_EQ(store_.only().state, SnapshotState::kRestored);
}

TEST_F(HeldUpdateTest, IsSettledWhenItHoldsAfterSafeMode) {
  safeMode(false);
  becomes(PluginStatus::kRunning);
  EXPECT_FALSE(store_.only().settled);
  advance(limits::kStabilise);
  EXPECT_TRUE(store_.only().settled);
  EXPECT_EQ(plugin_.row.version, "1.1.0");
}

TEST_F(HeldUpdateTest, WaitsForABackup) {
  activity_->backup = true;
  safeMode(false);
  becomes(PluginStatus::kError);
  EXPECT_EQ(plugin_.row.version, "1.1.0");
  activity_->backup = false;
  advance(std::chrono::seconds{1});
  EXPECT_EQ(plugin_.row.version, "1.0.0");
}

TEST_F(HeldUpdateTest, ARollbackDecidesToo) {
  safe_mode_ = false;
  const Answer<RollbackResult> rolled_back;
  updater_->rollBack("todo", "", rolled_back.completion());
  settle();
  ASSERT_TRUE(rolled_back.fired());
  EXPECT_EQ(plugin_.row.version, "1.0.0");
  becomes(PluginStatus::kRunning);
  advance(limits::kStabilise);
  EXPECT_EQ(store_.only().state, SnapshotState::kRestored);
}

TEST_F(HeldUpdateTest, HoldsAgainWhenSafeModeComesBack) {
  safeMode(false);
  safeMode(true);
  EXPECT_FALSE(activity_->update);
  safeMode(false);
  becomes(PluginStatus::kError);
  EXPECT_EQ(plugin_.row.version, "1.0.0");
}

TEST_F(UpdaterTest, AfterTheStopNothingBegins) {
  updater_->stop();
  const Answer<UpdateResult> answer;
  updater_->apply("todo", "", answer.completion());
  EXPECT_EQ(answer.error().code, errc::kUnavailable);
}

}  // namespace
}  // namespace svc::updates
