#include "sqlite_plugin_store.h"

#include "svc/storage/plugin_row_limits.h"

#include "blocking.h"

namespace svc::storage {

Result<std::vector<PluginRow>> SqlitePluginStore::list() {
  return runBlocking(thread_, Access::kRead,
                     [this]() -> Result<std::vector<PluginRow>> { return table_.list(); });
}

Result<std::optional<PluginRow>> SqlitePluginStore::find(const std::string& plugin_id) {
  return runBlocking(
      thread_, Access::kRead,
      [this, plugin_id]() -> Result<std::optional<PluginRow>> { return table_.find(plugin_id); });
}

Status SqlitePluginStore::put(const PluginRow& row) {
  if (auto valid = checkRow(row); !valid) {
    return valid;
  }
  return runBlocking(thread_, Access::kWrite,
                     [this, row]() -> Status { return table_.put(row), Status{}; });
}

Status SqlitePluginStore::remove(const std::string& plugin_id) {
  return runBlocking(thread_, Access::kWrite, [this, plugin_id]() -> Status {
    return table_.remove(plugin_id) ? Status{} : Status{noSuchPlugin(plugin_id)};
  });
}

}  // namespace svc::storage
