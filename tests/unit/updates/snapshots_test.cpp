#include "snapshots.h"

#include <sys/stat.h>

#include <fstream>

#include "svc/base/files.h"
#include "svc/common/limits/installs.h"

#include "fixture.h"
#include "sqlite_connection.h"

namespace svc::updates {
namespace {

constexpr std::size_t kAnySnapshot = 1U << 30U;

namespace fs = std::filesystem;
using storage::SnapshotState;

mode_t modeOf(const fs::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_mode & 0777U : 0;
}

/// A database with one text in it; keeps it open, so that the write-ahead log is in use.
SqliteConnection database(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  auto connection = openSqlite(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE).value();
  for (const auto* sql :
       {"PRAGMA journal_mode=WAL", "CREATE TABLE IF NOT EXISTS t (x TEXT)", "DELETE FROM t"}) {
    EXPECT_TRUE(runSqlite(connection.get(), sql, {}).ok());
  }
  EXPECT_TRUE(runSqlite(connection.get(), "INSERT INTO t VALUES (?1)", {text}).ok());
  return connection;
}

std::string textIn(const fs::path& file) {
  const auto connection = openSqlite(file, SQLITE_OPEN_READWRITE).value();
  std::string text;
  EXPECT_TRUE(runSqlite(connection.get(), "SELECT x FROM t", {}, [&](sqlite3_stmt* row) {
                text = reinterpret_cast<const char*>(sqlite3_column_text(row, 0));
              }).ok());
  return text;
}

class SnapshotsTest : public UpdatesFixture {
 protected:
  Snapshot take() {
    return snapshots_->take(snapshots_->begin(rowOf("1.0.0"), rowOf("1.1.0")).value()).value();
  }
  void secret(const std::string& name, const std::string& value) const {
    ASSERT_TRUE(base::makePrivateDirectory(dataOf("todo") / "secrets").ok());
    ASSERT_TRUE(base::replaceFile(dataOf("todo") / "secrets" / name, value).ok());
  }
  [[nodiscard]] std::string secretText(const std::string& name) const {
    const auto text = base::readFile(dataOf("todo") / "secrets" / name, kAnySnapshot);
    return text ? text.value() : "(none)";
  }
};

TEST_F(SnapshotsTest, OneHasTheDatabaseTheSecretsAndTheRows) {
  const auto open = database(dataOf("todo") / "data.db", "old");
  secret(".http-token", "abc");
  store_.data.key_values.emplace("list", common::RawJson("[[1]]"));
  const auto snapshot = take();
  EXPECT_EQ(snapshot.row.state, SnapshotState::kReady);
  EXPECT_FALSE(snapshot.row.settled);
  EXPECT_EQ(snapshot.row.from_version, "1.0.0");
  EXPECT_EQ(snapshot.row.to_version, "1.1.0");
  EXPECT_EQ(textIn(snapshotDirectory() / "data.db"), "old");
  EXPECT_EQ(base::readFile(snapshotDirectory() / "secrets/.http-token", kAnySnapshot).value(),
            "abc");
  EXPECT_EQ(modeOf(snapshotDirectory()), 0700U);
  EXPECT_EQ(modeOf(snapshotDirectory() / "secrets"), 0700U);
  for (const auto* file : {"data.db", "secrets/.http-token", "state.json"}) {
    EXPECT_EQ(modeOf(snapshotDirectory() / file), 0600U) << file;
  }
}

TEST_F(SnapshotsTest, RestoringBringsBackEverythingAndNothingElse) {
  auto open = database(dataOf("todo") / "data.db", "old");
  secret("key", "old");
  store_.data.key_values.emplace("list", common::RawJson("[[1]]"));
  store_.data.settings.emplace("limit", common::RawJson("5"));
  storage::ScheduleRow schedule{.plugin_id = "todo",
                                .name = "nightly",
                                .cron = "@daily",
                                .timezone = "UTC",
                                .next_run_at = 7,
                                .last_run_at = 3,
                                .last_status = "error",
                                .last_error = "no",
                                .last_run_missed = true,
                                .updated_at = 9};
  store_.data.schedules = {schedule};
  open.reset();
  auto snapshot = take();
  open = database(dataOf("todo") / "data.db", "new");
  open.reset();
  secret("key", "new");
  secret("another", "new");
  store_.data = {};

  snapshot = snapshots_->decideRollback(snapshot, "it broke").value();
  EXPECT_EQ(store_.only().state, SnapshotState::kRollbackPending);
  snapshot = snapshots_->restoreFiles(snapshot).value();
  EXPECT_EQ(store_.only().state, SnapshotState::kRestoring);
  auto current = snapshot.target;
  current.generation = 8;
  current.enabled = false;
  const auto row = snapshots_->restoreRows(snapshot, current).value();

  EXPECT_EQ(store_.only().state, SnapshotState::kRestored);
  EXPECT_TRUE(store_.only().settled);
  EXPECT_EQ(textIn(dataOf("todo") / "data.db"), "old");
  EXPECT_EQ(secretText("key"), "old");
  EXPECT_EQ(secretText("another"), "(none)");
  EXPECT_EQ(store_.data.key_values.at("list").text(), "[[1]]");
  EXPECT_EQ(store_.data.settings.at("limit").text(), "5");
  EXPECT_EQ(store_.data.schedules, std::vector{schedule});
  EXPECT_EQ(row.version, "1.0.0");
  EXPECT_EQ(row.generation, 8U);
  EXPECT_FALSE(row.enabled);
  EXPECT_EQ(row, *store_.restored_row);
}

TEST_F(SnapshotsTest, RestoringMayBeRepeatedAfterAnInterruption) {
  database(dataOf("todo") / "data.db", "old").reset();
  secret("key", "old");
  auto snapshot = take();
  database(dataOf("todo") / "data.db", "new").reset();
  // As an interruption between the renames leaves it.
  fs::rename(dataOf("todo") / "secrets", dataOf("todo") / "secrets.replaced");
  for (int round = 0; round < 2; ++round) {
    snapshot = snapshots_->restoreFiles(snapshot).value();
    EXPECT_EQ(textIn(dataOf("todo") / "data.db"), "old");
    EXPECT_EQ(secretText("key"), "old");
    EXPECT_FALSE(fs::exists(dataOf("todo") / "secrets.replaced"));
  }
}

TEST_F(SnapshotsTest, APluginWithoutADatabaseHasNoneAfterwardsEither) {
  const auto snapshot = take();
  database(dataOf("todo") / "data.db", "new").reset();
  ASSERT_TRUE(snapshots_->restoreFiles(snapshot).ok());
  EXPECT_FALSE(fs::exists(dataOf("todo") / "data.db"));
}

TEST_F(SnapshotsTest, AFailedOneKeepsNothingAndSaysWhy) {
  fs::create_directories(dataOf("todo"));
  std::ofstream(dataOf("todo") / "data.db") << "this is not a database, although it is long enough";
  const auto taken = snapshots_->take(snapshots_->begin(rowOf("1.0.0"), rowOf("1.1.0")).value());
  ASSERT_FALSE(taken.ok());
  EXPECT_EQ(store_.only().state, SnapshotState::kFailed);
  EXPECT_TRUE(store_.only().settled);
  EXPECT_EQ(store_.only().detail, taken.error().message);
  EXPECT_FALSE(fs::exists(snapshotDirectory()));
}

TEST_F(SnapshotsTest, AStopWhileItIsTakenKeepsNothing) {
  const auto open = database(dataOf("todo") / "data.db", "old");
  std::stop_source stopping;
  stopping.request_stop();
  Snapshots stopped(store_, clock_, directory_.path() / "plugins", stopping.get_token());
  const auto begun = stopped.begin(rowOf("1.0.0"), rowOf("1.1.0")).value();
  const auto taken = stopped.take(begun);
  ASSERT_FALSE(taken.ok());
  EXPECT_THAT(taken.error().message, ::testing::HasSubstr("shutting down"));
  EXPECT_EQ(store_.only().state, storage::SnapshotState::kFailed);
  EXPECT_FALSE(std::filesystem::exists(snapshotDirectory()));
}

TEST_F(SnapshotsTest, WhatAStopHasLeftPendingIsFailed) {
  ASSERT_TRUE(snapshots_->begin(rowOf("1.0.0"), rowOf("1.1.0")).ok());
  EXPECT_TRUE(snapshots_->unsettled().value().empty());
  EXPECT_EQ(store_.only().state, SnapshotState::kFailed);
  EXPECT_TRUE(store_.only().settled);
}

TEST_F(SnapshotsTest, UnsettledOnesComeBackWithTheirRows) {
  const auto snapshot = take();
  const auto unsettled = snapshots_->unsettled().value();
  ASSERT_EQ(unsettled.size(), 1U);
  EXPECT_EQ(unsettled.front().row, snapshot.row);
  EXPECT_EQ(unsettled.front().previous, rowOf("1.0.0"));
  EXPECT_EQ(unsettled.front().target, rowOf("1.1.0"));
  ASSERT_TRUE(snapshots_->settle(snapshot).ok());
  EXPECT_TRUE(snapshots_->unsettled().value().empty());
}

TEST_F(SnapshotsTest, OneWhoseFilesAreGoneIsFailed) {
  take();
  fs::remove_all(snapshotDirectory());
  EXPECT_TRUE(snapshots_->unsettled().value().empty());
  EXPECT_EQ(store_.only().state, SnapshotState::kFailed);
}

TEST_F(SnapshotsTest, TheyAreKeptForTheirTime) {
  ASSERT_TRUE(snapshots_->settle(take()).ok());
  clock_.advance(limits::kSnapshotKeep);
  EXPECT_EQ(snapshots_->prune({"todo"}).value().size(), 1U);
  clock_.advance(std::chrono::milliseconds{1});
  const auto directory = snapshotDirectory();
  EXPECT_TRUE(snapshots_->prune({"todo"}).value().empty());
  EXPECT_TRUE(store_.rows.empty());
  EXPECT_FALSE(fs::exists(directory));
}

TEST_F(SnapshotsTest, AnUndecidedOneIsKeptForLonger) {
  take();
  clock_.advance(limits::kSnapshotKeep * 2);
  EXPECT_EQ(snapshots_->prune({"todo"}).value().size(), 1U);
}

TEST_F(SnapshotsTest, ThoseOfARemovedPluginGoAtOnce) {
  take();
  const auto directory = snapshotDirectory();
  EXPECT_TRUE(snapshots_->prune({"other"}).value().empty());
  EXPECT_FALSE(fs::exists(directory));
}

TEST_F(SnapshotsTest, DirectoriesThatNoRowNamesAreRemoved) {
  take();
  const auto stray = directory_.path() / "plugins/snapshots/gone/20200101T000000.000Z-x";
  fs::create_directories(stray);
  ASSERT_TRUE(snapshots_->removeStrays().ok());
  EXPECT_FALSE(fs::exists(stray.parent_path()));
  EXPECT_TRUE(fs::exists(snapshotDirectory()));
}

}  // namespace
}  // namespace svc::updates
