#include "settings_table.h"

namespace svc::storage {

SettingsTable::SettingsTable(const Database& database)
    : load_(database.handle(), "SELECT key, value FROM plugin_settings WHERE plugin_id=?"),
      put_(database.handle(),
           "INSERT INTO plugin_settings (plugin_id, key, value, updated_at) VALUES (?, ?, ?, ?) "
           "ON CONFLICT (plugin_id, key) DO UPDATE SET value=excluded.value, "
           "updated_at=excluded.updated_at"),
      remove_(database.handle(), "DELETE FROM plugin_settings WHERE plugin_id=? AND key=?"),
      clear_(database.handle(), "DELETE FROM plugin_settings WHERE plugin_id=?") {}

std::map<std::string, common::RawJson> SettingsTable::load(const std::string& plugin_id) {
  std::map<std::string, common::RawJson> out;
  auto rows = load_.run(plugin_id);
  while (rows.next()) {
    out.emplace(rows.text(0), common::RawJson(rows.text(1)));
  }
  return out;
}

void SettingsTable::apply(const std::string& plugin_id, const std::vector<SettingChange>& changes,
                          std::int64_t now) {
  for (const auto& [key, value] : changes) {
    if (value) {
      put_.execute(plugin_id, key, value->text(), now);
    } else {
      remove_.execute(plugin_id, key);
    }
  }
}

void SettingsTable::clear(const std::string& plugin_id) { clear_.execute(plugin_id); }

}  // namespace svc::storage
