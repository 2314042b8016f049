#include "plugin_table.h"

namespace svc::storage {
namespace {

// The columns in the order of readRow().
const std::string kSelect =
    "SELECT id, source, source_kind, provenance, root_dir, version, enabled, generation, "
    "installed_at, updated_at, source_detail, resolved, resolved_tag, integrity, commit_sha, "
    "digests, history, last_failure "
    "FROM plugins";

PluginRow readRow(const Run& rows) {
  PluginRow row;
  row.id = rows.text(0);
  row.source = rows.text(1);
  row.source_kind = rows.text(2);
  row.provenance = rows.text(3);
  row.root_dir = rows.text(4);
  row.version = rows.text(5);
  row.enabled = rows.integer(6) != 0;
  row.generation = static_cast<std::uint64_t>(rows.integer(7));
  row.installed_at = rows.integer(8);
  row.updated_at = rows.integer(9);
  row.source_detail = rows.text(10);
  row.resolved = rows.text(11);
  row.resolved_tag = rows.text(12);
  row.integrity = rows.text(13);
  row.commit_sha = rows.text(14);
  row.digests = rows.text(15);
  row.history = rows.text(16);
  row.last_failure = rows.text(17);
  return row;
}

}  // namespace

PluginTable::PluginTable(const Database& database)
    : connection_(database.handle()),
      list_(connection_, kSelect + " ORDER BY id"),
      find_(connection_, kSelect + " WHERE id=?"),
      // An update in place: columns that PluginRow does not carry keep their values.
      put_(connection_,
           "INSERT INTO plugins (id, source, source_kind, provenance, root_dir, version, enabled, "
           "generation, installed_at, updated_at, source_detail, resolved, resolved_tag, "
           "integrity, commit_sha, digests, history, last_failure) "
           "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO "
           "UPDATE SET source=excluded.source, "
           "source_kind=excluded.source_kind, provenance=excluded.provenance, "
           "root_dir=excluded.root_dir, "
           "version=excluded.version, enabled=excluded.enabled, generation=excluded.generation, "
           "installed_at=excluded.installed_at, updated_at=excluded.updated_at, "
           "source_detail=excluded.source_detail, resolved=excluded.resolved, "
           "resolved_tag=excluded.resolved_tag, integrity=excluded.integrity, "
           "commit_sha=excluded.commit_sha, digests=excluded.digests, history=excluded.history, "
           "last_failure=excluded.last_failure"),
      remove_(connection_, "DELETE FROM plugins WHERE id=?"),
      remove_settings_(connection_, "DELETE FROM plugin_settings WHERE plugin_id=?"),
      remove_schedules_(connection_, "DELETE FROM plugin_schedules WHERE plugin_id=?"),
      meters_(connection_, "SELECT id, meters FROM plugins WHERE meters<>''"),
      put_meters_(connection_, "UPDATE plugins SET meters=? WHERE id=?") {}

std::vector<PluginRow> PluginTable::list() {
  std::vector<PluginRow> plugins;
  auto rows = list_.run();
  while (rows.next()) {
    plugins.push_back(readRow(rows));
  }
  return plugins;
}

std::optional<PluginRow> PluginTable::find(const std::string& plugin_id) {
  auto rows = find_.run(plugin_id);
  if (!rows.next()) {
    return std::nullopt;
  }
  return readRow(rows);
}

void PluginTable::put(const PluginRow& row) {
  put_.execute(row.id, row.source, row.source_kind, row.provenance, row.root_dir, row.version,
               std::int64_t{row.enabled ? 1 : 0}, static_cast<std::int64_t>(row.generation),
               row.installed_at, row.updated_at, row.source_detail, row.resolved, row.resolved_tag,
               row.integrity, row.commit_sha, row.digests, row.history, row.last_failure);
}

bool PluginTable::remove(const std::string& plugin_id) {
  remove_settings_.execute(plugin_id);
  remove_schedules_.execute(plugin_id);
  remove_.execute(plugin_id);
  return sqlite3_changes64(connection_) > 0;
}

std::map<std::string, std::string> PluginTable::meters() {
  std::map<std::string, std::string> texts;
  auto rows = meters_.run();
  while (rows.next()) {
    texts.emplace(rows.text(0), rows.text(1));
  }
  return texts;
}

void PluginTable::putMeters(const std::map<std::string, std::string>& texts) {
  for (const auto& [id, text] : texts) {
    put_meters_.execute(text, id);
  }
}

}  // namespace svc::storage
