#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "svc/storage/plugin_store.h"

#include "database.h"

namespace svc::storage {

/// The table plugins, through statements prepared once. Thread of the connection; throws SqliteFailure.
class PluginTable {
 public:
  explicit PluginTable(const Database& database);

  [[nodiscard]] std::vector<PluginRow> list();
  [[nodiscard]] std::optional<PluginRow> find(const std::string& plugin_id);
  void put(const PluginRow& row);
  /// Removes what belongs to the row as well. False when there is no such row.
  [[nodiscard]] bool remove(const std::string& plugin_id);
  /// Those that have any, by id.
  [[nodiscard]] std::map<std::string, std::string> meters();
  void putMeters(const std::map<std::string, std::string>& texts);

 private:
  sqlite3* connection_;
  Statement list_;
  Statement find_;
  Statement put_;
  Statement remove_;
  Statement remove_settings_;
  Statement remove_schedules_;
  Statement meters_;
  Statement put_meters_;
};

}  // namespace svc::storage
