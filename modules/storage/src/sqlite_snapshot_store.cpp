#include "sqlite_snapshot_store.h"

#include "svc/storage/plugin_row_limits.h"
#include "svc/storage/snapshot_limits.h"

#include "blocking.h"

namespace svc::storage {

Result<std::vector<SnapshotRow>> SqliteSnapshotStore::list() {
  return runBlocking(thread_, Access::kRead,
                     [this]() -> Result<std::vector<SnapshotRow>> { return table_.list(); });
}

Status SqliteSnapshotStore::put(const SnapshotRow& row) {
  if (auto valid = checkSnapshot(row); !valid) {
    return valid;
  }
  return runBlocking(thread_, Access::kWrite,
                     [this, row]() -> Status { return table_.put(row), Status{}; });
}

Status SqliteSnapshotStore::remove(const std::string& snapshot_id) {
  return runBlocking(thread_, Access::kWrite, [this, snapshot_id]() -> Status {
    return table_.remove(snapshot_id), Status{};
  });
}

Result<PluginData> SqliteSnapshotStore::capture(const std::string& plugin_id) {
  // As a write, so that it comes after the writes of every namespace.
  return runBlocking(thread_, Access::kWrite, [this, plugin_id]() -> Result<PluginData> {
    return table_.capture(plugin_id);
  });
}

Status SqliteSnapshotStore::restore(const PluginRow& plugin, const PluginData& data,
                                    const SnapshotRow& snapshot) {
  for (auto valid : {checkRow(plugin), checkSnapshot(snapshot)}) {
    if (!valid) {
      return valid;
    }
  }
  return runBlocking(thread_, Access::kWrite, [this, &plugin, &data, &snapshot]() -> Status {
    table_.replaceData(plugin.id, data, snapshot.updated_at);
    plugins_.put(plugin);
    table_.put(snapshot);
    return {};
  });
}

}  // namespace svc::storage
