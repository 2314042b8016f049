#include "memory_plugin_store.h"

#include "svc/storage/plugin_row_limits.h"

namespace svc::storage_memory {

Result<std::vector<storage::PluginRow>> MemoryPluginStore::list() {
  const std::lock_guard lock(mutex_);
  std::vector<storage::PluginRow> rows;
  for (const auto& [id, row] : rows_) {
    rows.push_back(row);
  }
  return rows;
}

Result<std::optional<storage::PluginRow>> MemoryPluginStore::find(const std::string& plugin_id) {
  const std::lock_guard lock(mutex_);
  const auto found = rows_.find(plugin_id);
  return found == rows_.end() ? std::nullopt : std::optional(found->second);
}

Status MemoryPluginStore::put(const storage::PluginRow& row) {
  if (auto valid = storage::checkRow(row); !valid) {
    return valid;
  }
  const std::lock_guard lock(mutex_);
  rows_.insert_or_assign(row.id, row);
  return {};
}

Status MemoryPluginStore::remove(const std::string& plugin_id) {
  settings_.clear(plugin_id);
  schedules_.clear(plugin_id);
  const std::lock_guard lock(mutex_);
  meters_.erase(plugin_id);
  return rows_.erase(plugin_id) > 0 ? Status{} : Status{storage::noSuchPlugin(plugin_id)};
}

Result<std::map<std::string, std::string>> MemoryPluginStore::meters() {
  const std::lock_guard lock(mutex_);
  return meters_;
}

Status MemoryPluginStore::putMeters(const std::map<std::string, std::string>& texts) {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, text] : texts) {
    if (rows_.contains(id)) {
      meters_.insert_or_assign(id, text);
    }
  }
  return {};
}

}  // namespace svc::storage_memory
