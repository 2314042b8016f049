#include "service_settings_table.h"

namespace svc::storage {

ServiceSettingsTable::ServiceSettingsTable(const Database& database)
    : get_(database.handle(), "SELECT value FROM service_settings WHERE key=?"),
      set_(database.handle(),
           "INSERT INTO service_settings (key, value, updated_at) VALUES (?, ?, ?) "
           "ON CONFLICT (key) DO UPDATE SET value=excluded.value, updated_at=excluded.updated_at") {
}

std::optional<std::string> ServiceSettingsTable::get(const std::string& key) {
  auto rows = get_.run(key);
  return rows.next() ? std::optional(std::string(rows.text(0))) : std::nullopt;
}

void ServiceSettingsTable::set(const std::string& key, const std::string& value, std::int64_t now) {
  set_.execute(key, value, now);
}

}  // namespace svc::storage
