#include "snapshot_table.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace svc::storage {
namespace {

constexpr std::array<std::pair<SnapshotState, std::string_view>, 6> kStates{{
    {SnapshotState::kPending, "pending"},
    {SnapshotState::kReady, "ready"},
    {SnapshotState::kFailed, "failed"},
    {SnapshotState::kRollbackPending, "rollback-pending"},
    {SnapshotState::kRestoring, "restoring"},
    {SnapshotState::kRestored, "restored"},
}};

std::string_view stateName(SnapshotState state) {
  return kStates.at(static_cast<std::size_t>(state)).second;
}

/// Only names of this table are stored; one that is not is a snapshot nobody can use.
SnapshotState stateOf(std::string_view name) {
  const auto* found = std::find_if(kStates.begin(), kStates.end(),
                                   [&](const auto& entry) { return entry.second == name; });
  return found == kStates.end() ? SnapshotState::kFailed : found->first;
}

// The columns in the order of list().
constexpr const char* kSelect =
    "SELECT id, plugin_id, state, settled, from_version, to_version, detail, created_at, "
    "updated_at FROM plugin_snapshots ORDER BY id";

// The columns in the order of capture(). NULL reads as 0 and as empty text.
constexpr const char* kSelectSchedules =
    "SELECT name, cron, timezone, next_run_at, last_run_at IS NOT NULL, last_run_at, last_status, "
    "last_error, last_run_missed, updated_at FROM plugin_schedules WHERE plugin_id=? ORDER BY name";

}  // namespace

SnapshotTable::SnapshotTable(const Database& database)
    : list_(database.handle(), kSelect),
      put_(database.handle(),
           "INSERT OR REPLACE INTO plugin_snapshots (id, plugin_id, state, settled, from_version, "
           "to_version, detail, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      remove_(database.handle(), "DELETE FROM plugin_snapshots WHERE id=?"),
      key_values_(database.handle(), "SELECT key, value FROM plugin_kv WHERE plugin_id=?"),
      settings_(database.handle(), "SELECT key, value FROM plugin_settings WHERE plugin_id=?"),
      schedules_(database.handle(), kSelectSchedules),
      clear_key_values_(database.handle(), "DELETE FROM plugin_kv WHERE plugin_id=?"),
      clear_settings_(database.handle(), "DELETE FROM plugin_settings WHERE plugin_id=?"),
      clear_schedules_(database.handle(), "DELETE FROM plugin_schedules WHERE plugin_id=?"),
      add_key_value_(
          database.handle(),
          "INSERT INTO plugin_kv (plugin_id, key, value, updated_at) VALUES (?, ?, ?, ?)"),
      add_setting_(
          database.handle(),
          "INSERT INTO plugin_settings (plugin_id, key, value, updated_at) VALUES (?, ?, ?, ?)"),
      add_schedule_(database.handle(),
                    "INSERT INTO plugin_schedules (plugin_id, name, cron, timezone, next_run_at, "
                    "last_run_at, last_status, last_error, last_run_missed, updated_at) "
                    "VALUES (?, ?, ?, ?, ?, NULLIF(?, -1), NULLIF(?, ''), NULLIF(?, ''), ?, ?)") {}

std::vector<SnapshotRow> SnapshotTable::list() {
  std::vector<SnapshotRow> out;
  auto rows = list_.run();
  while (rows.next()) {
    out.push_back({.id = rows.text(0),
                   .plugin_id = rows.text(1),
                   .state = stateOf(rows.view(2)),
                   .settled = rows.integer(3) != 0,
                   .from_version = rows.text(4),
                   .to_version = rows.text(5),
                   .detail = rows.text(6),
                   .created_at = rows.integer(7),
                   .updated_at = rows.integer(8)});
  }
  return out;
}

void SnapshotTable::put(const SnapshotRow& row) {
  put_.execute(row.id, row.plugin_id, stateName(row.state), std::int64_t{row.settled ? 1 : 0},
               row.from_version, row.to_version, row.detail, row.created_at, row.updated_at);
}

void SnapshotTable::remove(const std::string& snapshot_id) { remove_.execute(snapshot_id); }

std::map<std::string, common::RawJson> SnapshotTable::readValues(Run rows) {
  std::map<std::string, common::RawJson> out;
  while (rows.next()) {
    out.emplace(rows.text(0), common::RawJson(rows.text(1)));
  }
  return out;
}

PluginData SnapshotTable::capture(const std::string& plugin_id) {
  PluginData out;
  out.key_values = readValues(key_values_.run(plugin_id));
  out.settings = readValues(settings_.run(plugin_id));
  auto rows = schedules_.run(plugin_id);
  while (rows.next()) {
    ScheduleRow row{.plugin_id = plugin_id,
                    .name = rows.text(0),
                    .cron = rows.text(1),
                    .timezone = rows.text(2),
                    .next_run_at = rows.integer(3)};
    if (rows.integer(4) != 0) {
      row.last_run_at = rows.integer(5);
    }
    row.last_status = rows.text(6);
    row.last_error = rows.text(7);
    row.last_run_missed = rows.integer(8) != 0;
    row.updated_at = rows.integer(9);
    out.schedules.push_back(std::move(row));
  }
  return out;
}

void SnapshotTable::replaceData(const std::string& plugin_id, const PluginData& data,
                                std::int64_t now) {
  clear_key_values_.execute(plugin_id);
  clear_settings_.execute(plugin_id);
  clear_schedules_.execute(plugin_id);
  for (const auto& [key, value] : data.key_values) {
    add_key_value_.execute(plugin_id, key, value.text(), now);
  }
  for (const auto& [key, value] : data.settings) {
    add_setting_.execute(plugin_id, key, value.text(), now);
  }
  for (const auto& row : data.schedules) {
    add_schedule_.execute(plugin_id, row.name, row.cron, row.timezone, row.next_run_at,
                          row.last_run_at.value_or(-1), row.last_status, row.last_error,
                          std::int64_t{row.last_run_missed ? 1 : 0}, row.updated_at);
  }
}

}  // namespace svc::storage
