#pragma once

#include <string>

#include <gtest/gtest.h>

#include "svc/storage/key_value_store.h"
#include "svc/storage/schedule_store.h"
#include "svc/storage/settings_store.h"
#include "svc/storage/snapshot_store.h"

#include "contract/storage/await.h"

namespace svc::storage {

/// What every ISnapshotStore does. Rig offers `ISnapshotStore& snapshots()` and the stores it works on.
template <class Rig>
class SnapshotStoreContract : public ::testing::Test {
 protected:
  ISnapshotStore& store() { return rig_.snapshots(); }

  static SnapshotRow snapshot(const std::string& id, SnapshotState state = SnapshotState::kReady) {
    return {.id = id,
            .plugin_id = "todo",
            .state = state,
            .settled = true,
            .from_version = "1.0.0",
            .to_version = "1.1.0",
            .detail = "why",
            .created_at = 100,
            .updated_at = 200};
  }

  static PluginRow plugin(const std::string& version) {
    PluginRow row;
    row.id = "todo";
    row.source = "npm:todo";
    row.source_kind = "npm";
    row.root_dir = "/cache/" + version;
    row.version = version;
    row.generation = 7;
    row.resolved = "npm:todo@" + version;
    row.last_failure = "{}";
    return row;
  }

  /// A value in each of the plugin's tables.
  void write(const std::string& plugin_id, const std::string& mark) {
    ASSERT_TRUE(test::await<void>([&](auto done) {
                  rig_.keyValues().set(plugin_id, mark, common::RawJson("\"" + mark + "\""),
                                       std::move(done));
                }).ok());
    ASSERT_TRUE(rig_.settings().apply(plugin_id, {{mark, common::RawJson("1")}}).ok());
    ASSERT_TRUE(
        rig_.schedules().replace(plugin_id, {{mark, "* * * * *", "Etc/UTC", 1000}}, 500).ok());
  }

  Rig rig_;
};

TYPED_TEST_SUITE_P(SnapshotStoreContract);

TYPED_TEST_P(SnapshotStoreContract, HasNothingAtFirst) {
  EXPECT_TRUE(this->store().list().value().empty());
}

TYPED_TEST_P(SnapshotStoreContract, ReturnsEveryStateAscendingById) {
  std::vector<SnapshotRow> rows;
  for (const auto state :
       {SnapshotState::kPending, SnapshotState::kReady, SnapshotState::kFailed,
        SnapshotState::kRollbackPending, SnapshotState::kRestoring, SnapshotState::kRestored}) {
    rows.push_back(this->snapshot(std::to_string(rows.size()), state));
  }
  rows.back().settled = false;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    ASSERT_TRUE(this->store().put(*row).ok());
  }
  EXPECT_EQ(this->store().list().value(), rows);
}

TYPED_TEST_P(SnapshotStoreContract, ReplacesARowWithTheSameId) {
  ASSERT_TRUE(this->store().put(this->snapshot("a", SnapshotState::kPending)).ok());
  ASSERT_TRUE(this->store().put(this->snapshot("a", SnapshotState::kReady)).ok());
  ASSERT_EQ(this->store().list().value().size(), 1U);
  EXPECT_EQ(this->store().list().value().front().state, SnapshotState::kReady);
}

TYPED_TEST_P(SnapshotStoreContract, RemovesARowThatNeedNotBeThere) {
  ASSERT_TRUE(this->store().put(this->snapshot("a")).ok());
  EXPECT_TRUE(this->store().remove("a").ok());
  EXPECT_TRUE(this->store().remove("a").ok());
  EXPECT_TRUE(this->store().list().value().empty());
}

TYPED_TEST_P(SnapshotStoreContract, RefusesARowWithoutIds) {
  EXPECT_EQ(this->store().put(this->snapshot("")).error().code, errc::kInvalidArgument);
  auto nobody = this->snapshot("a");
  nobody.plugin_id.clear();
  EXPECT_EQ(this->store().put(nobody).error().code, errc::kInvalidArgument);
  EXPECT_EQ(this->store().restore(this->plugin("1"), {}, nobody).error().code,
            errc::kInvalidArgument);
}

TYPED_TEST_P(SnapshotStoreContract, CapturesTheDataOfOnePluginOnly) {
  this->write("todo", "mine");
  this->write("other", "theirs");
  const auto data = this->store().capture("todo").value();
  ASSERT_EQ(data.key_values.size(), 1U);
  EXPECT_EQ(data.key_values.at("mine").text(), "\"mine\"");
  ASSERT_EQ(data.settings.size(), 1U);
  EXPECT_EQ(data.settings.at("mine").text(), "1");
  ASSERT_EQ(data.schedules.size(), 1U);
  EXPECT_EQ(data.schedules.front().name, "mine");
  EXPECT_EQ(data.schedules.front().next_run_at, 1000);
}

TYPED_TEST_P(SnapshotStoreContract, RestoresWhatItCapturedAndNothingElse) {
  this->write("todo", "old");
  ASSERT_TRUE(this->rig_.schedules().claim({{"todo", "old", 1000, 2000}}, 1500).ok());
  const auto before = this->store().capture("todo").value();
  this->write("todo", "new");
  this->write("other", "theirs");
  ASSERT_TRUE(this->rig_.plugins().put(this->plugin("1.1.0")).ok());
  auto restored = this->snapshot("a", SnapshotState::kRestored);

  ASSERT_TRUE(this->store().restore(this->plugin("1.0.0"), before, restored).ok());

  const auto after = this->store().capture("todo").value();
  ASSERT_EQ(after.key_values.size(), 1U);
  EXPECT_TRUE(after.key_values.contains("old"));
  ASSERT_EQ(after.settings.size(), 1U);
  EXPECT_TRUE(after.settings.contains("old"));
  EXPECT_EQ(after.schedules, before.schedules);
  EXPECT_EQ(this->rig_.plugins().find("todo").value(), this->plugin("1.0.0"));
  EXPECT_EQ(this->store().list().value(), std::vector{restored});
  EXPECT_EQ(this->store().capture("other").value().key_values.size(), 1U);
}

REGISTER_TYPED_TEST_SUITE_P(SnapshotStoreContract, HasNothingAtFirst,
                            ReturnsEveryStateAscendingById, ReplacesARowWithTheSameId,
                            RemovesARowThatNeedNotBeThere, RefusesARowWithoutIds,
                            CapturesTheDataOfOnePluginOnly, RestoresWhatItCapturedAndNothingElse);

}  // namespace svc::storage
