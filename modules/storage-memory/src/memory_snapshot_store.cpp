#include "memory_snapshot_store.h"

#include "svc/storage/plugin_row_limits.h"
#include "svc/storage/snapshot_limits.h"

namespace svc::storage_memory {

Result<std::vector<storage::SnapshotRow>> MemorySnapshotStore::list() {
  const std::lock_guard lock(mutex_);
  std::vector<storage::SnapshotRow> rows;
  for (const auto& [id, row] : rows_) {
    rows.push_back(row);
  }
  return rows;
}

Status MemorySnapshotStore::put(const storage::SnapshotRow& row) {
  if (auto valid = storage::checkSnapshot(row); !valid) {
    return valid;
  }
  const std::lock_guard lock(mutex_);
  rows_.insert_or_assign(row.id, row);
  return {};
}

Status MemorySnapshotStore::remove(const std::string& snapshot_id) {
  const std::lock_guard lock(mutex_);
  rows_.erase(snapshot_id);
  return {};
}

Result<storage::PluginData> MemorySnapshotStore::capture(const std::string& plugin_id) {
  auto key_values = stores_.key_values.readAll(plugin_id);
  if (!key_values) {
    return std::move(key_values).error();
  }
  auto settings = stores_.settings.load(plugin_id);
  if (!settings) {
    return std::move(settings).error();
  }
  return storage::PluginData{std::move(key_values).value(), std::move(settings).value(),
                             stores_.schedules.rowsOf(plugin_id)};
}

Status MemorySnapshotStore::restore(const storage::PluginRow& plugin,
                                    const storage::PluginData& data,
                                    const storage::SnapshotRow& snapshot) {
  for (auto valid : {storage::checkRow(plugin), storage::checkSnapshot(snapshot)}) {
    if (!valid) {
      return valid;
    }
  }
  if (auto status = stores_.key_values.replaceAll(plugin.id, data.key_values); !status) {
    return status;
  }
  stores_.settings.replaceAll(plugin.id, data.settings);
  stores_.schedules.replaceAll(plugin.id, data.schedules);
  if (auto status = stores_.plugins.put(plugin); !status) {
    return status;
  }
  return put(snapshot);
}

}  // namespace svc::storage_memory
