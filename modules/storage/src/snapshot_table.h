#pragma once

#include <map>
#include <string>
#include <vector>

#include "svc/storage/snapshot_store.h"

#include "database.h"

namespace svc::storage {

/// The table plugin_snapshots and, as a whole, the data of one plugin in the other tables. Thread of the connection; throws
/// SqliteFailure.
class SnapshotTable {
 public:
  explicit SnapshotTable(const Database& database);

  [[nodiscard]] std::vector<SnapshotRow> list();
  void put(const SnapshotRow& row);
  void remove(const std::string& snapshot_id);
  [[nodiscard]] PluginData capture(const std::string& plugin_id);
  void replaceData(const std::string& plugin_id, const PluginData& data, std::int64_t now);

 private:
  [[nodiscard]] static std::map<std::string, common::RawJson> readValues(Run rows);

  Statement list_;
  Statement put_;
  Statement remove_;
  Statement key_values_;
  Statement settings_;
  Statement schedules_;
  Statement clear_key_values_;
  Statement clear_settings_;
  Statement clear_schedules_;
  Statement add_key_value_;
  Statement add_setting_;
  Statement add_schedule_;
};

}  // namespace svc::storage
