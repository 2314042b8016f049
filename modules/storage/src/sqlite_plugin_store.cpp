#include "sqlite_plugin_store.h"

#include "svc/storage/plugin_row_limits.h"

#include "blocking.h"

namespace svc::storage {

Result<std::vector<PluginRow>> SqlitePluginStore::list() {
  return runBlocking(threads_, Access::kRead, [this](Side side) -> Result<std::vector<PluginRow>> {
    return table_.on(side).list();
  });
}

Result<std::optional<PluginRow>> SqlitePluginStore::find(const std::string& plugin_id) {
  return runBlocking(threads_, Access::kRead,
                     [this, plugin_id](Side side) -> Result<std::optional<PluginRow>> {
                       return table_.on(side).find(plugin_id);
                     });
}

Status SqlitePluginStore::put(const PluginRow& row) {
  if (auto valid = checkRow(row); !valid) {
    return valid;
  }
  return runBlocking(threads_, Access::kWrite, [this, row](Side side) -> Status {
    return table_.on(side).put(row), Status{};
  });
}

Status SqlitePluginStore::remove(const std::string& plugin_id) {
  return runBlocking(threads_, Access::kWrite, [this, plugin_id](Side side) -> Status {
    return table_.on(side).remove(plugin_id) ? Status{} : Status{noSuchPlugin(plugin_id)};
  });
}

Result<std::map<std::string, std::string>> SqlitePluginStore::meters() {
  return runBlocking(threads_, Access::kRead,
                     [this](Side side) -> Result<std::map<std::string, std::string>> {
                       return table_.on(side).meters();
                     });
}

Status SqlitePluginStore::putMeters(const std::map<std::string, std::string>& texts) {
  return runBlocking(threads_, Access::kWrite, [this, texts](Side side) -> Status {
    return table_.on(side).putMeters(texts), Status{};
  });
}

}  // namespace svc::storage
