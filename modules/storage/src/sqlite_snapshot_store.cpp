#include "sqlite_snapshot_store.h"

#include "svc/storage/plugin_row_limits.h"
#include "svc/storage/snapshot_limits.h"

#include "blocking.h"

namespace svc::storage {

Result<std::vector<SnapshotRow>> SqliteSnapshotStore::list() {
  return runBlocking(
      threads_, Access::kRead,
      [this](Side side) -> Result<std::vector<SnapshotRow>> { return table_.on(side).list(); });
}

Status SqliteSnapshotStore::put(const SnapshotRow& row) {
  if (auto valid = checkSnapshot(row); !valid) {
    return valid;
  }
  return runBlocking(threads_, Access::kWrite, [this, row](Side side) -> Status {
    return table_.on(side).put(row), Status{};
  });
}

Status SqliteSnapshotStore::remove(const std::string& snapshot_id) {
  return runBlocking(threads_, Access::kWrite, [this, snapshot_id](Side side) -> Status {
    return table_.on(side).remove(snapshot_id), Status{};
  });
}

Result<PluginData> SqliteSnapshotStore::capture(const std::string& plugin_id) {
  // As a write, so that it comes after the writes of every namespace.
  return runBlocking(threads_, Access::kWrite, [this, plugin_id](Side side) -> Result<PluginData> {
    return table_.on(side).capture(plugin_id);
  });
}

Status SqliteSnapshotStore::restore(const PluginRow& plugin, const PluginData& data,
                                    const SnapshotRow& snapshot) {
  for (auto valid : {checkRow(plugin), checkSnapshot(snapshot)}) {
    if (!valid) {
      return valid;
    }
  }
  return runBlocking(threads_, Access::kWrite,
                     [this, &plugin, &data, &snapshot](Side side) -> Status {
                       table_.on(side).replaceData(plugin.id, data, snapshot.updated_at);
                       plugins_.on(side).put(plugin);
                       table_.on(side).put(snapshot);
                       return {};
                     });
}

}  // namespace svc::storage
