#include "kv_table.h"

namespace svc::storage {

KvTable::KvTable(const Database& database)
    : connection_(database.handle()),
      get_(connection_, "SELECT value FROM plugin_kv WHERE plugin_id=? AND key=?"),
      set_(connection_,
           "INSERT INTO plugin_kv (plugin_id, key, value, updated_at) VALUES (?, ?, ?, ?) ON "
           "CONFLICT (plugin_id, key) "
           "DO UPDATE SET value=excluded.value, updated_at=excluded.updated_at"),
      remove_(connection_, "DELETE FROM plugin_kv WHERE plugin_id=? AND key=?"),
      list_(connection_, "SELECT key FROM plugin_kv WHERE plugin_id=? AND key>=? ORDER BY key"),
      clear_(connection_, "DELETE FROM plugin_kv WHERE plugin_id=?") {}

std::optional<common::RawJson> KvTable::get(const std::string& plugin_id, const std::string& key) {
  auto rows = get_.run(plugin_id, key);
  if (!rows.next()) {
    return std::nullopt;
  }
  return common::RawJson(rows.text(0));
}

void KvTable::set(const std::string& plugin_id, const std::string& key, const std::string& value,
                  std::int64_t now) {
  set_.execute(plugin_id, key, value, now);
}

void KvTable::remove(const std::string& plugin_id, const std::string& key) {
  remove_.execute(plugin_id, key);
}

std::vector<std::string> KvTable::list(const std::string& plugin_id, const std::string& prefix) {
  std::vector<std::string> keys;
  auto rows = list_.run(plugin_id, prefix);
  // Keys with the prefix are neighbours, so the first other key ends the list.
  while (rows.next() && rows.view(0).starts_with(prefix)) {
    keys.push_back(rows.text(0));
  }
  return keys;
}

std::size_t KvTable::clear(const std::string& plugin_id) {
  clear_.execute(plugin_id);
  return static_cast<std::size_t>(sqlite3_changes64(connection_));
}

}  // namespace svc::storage
