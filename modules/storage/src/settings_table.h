#pragma once

#include <map>
#include <string>
#include <vector>

#include "svc/storage/settings_store.h"

#include "database.h"

namespace svc::storage {

/// The table plugin_settings, through statements prepared once. Thread of the connection; throws SqliteFailure.
class SettingsTable {
 public:
  explicit SettingsTable(const Database& database);

  [[nodiscard]] std::map<std::string, common::RawJson> load(const std::string& plugin_id);
  void apply(const std::string& plugin_id, const std::vector<SettingChange>& changes,
             std::int64_t now);
  void clear(const std::string& plugin_id);

 private:
  Statement load_;
  Statement put_;
  Statement remove_;
  Statement clear_;
};

}  // namespace svc::storage
