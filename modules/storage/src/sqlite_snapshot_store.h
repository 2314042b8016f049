#pragma once

#include "svc/storage/snapshot_store.h"

#include "plugin_table.h"
#include "snapshot_table.h"
#include "store_thread.h"

namespace svc::storage {

/// ISnapshotStore on the store thread.
class SqliteSnapshotStore final : public ISnapshotStore {
 public:
  SqliteSnapshotStore(SnapshotTable& table, PluginTable& plugins, StoreThread& thread)
      : table_(table), plugins_(plugins), thread_(thread) {}

  [[nodiscard]] Result<std::vector<SnapshotRow>> list() override;
  [[nodiscard]] Status put(const SnapshotRow& row) override;
  [[nodiscard]] Status remove(const std::string& snapshot_id) override;
  [[nodiscard]] Result<PluginData> capture(const std::string& plugin_id) override;
  [[nodiscard]] Status restore(const PluginRow& plugin, const PluginData& data,
                               const SnapshotRow& snapshot) override;

 private:
  SnapshotTable& table_;
  PluginTable& plugins_;
  StoreThread& thread_;
};

}  // namespace svc::storage
