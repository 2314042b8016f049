#pragma once

#include "svc/storage/snapshot_store.h"

#include "plugin_table.h"
#include "sides.h"
#include "snapshot_table.h"
#include "store_threads.h"

namespace svc::storage {

/// ISnapshotStore on the store thread.
class SqliteSnapshotStore final : public ISnapshotStore {
 public:
  SqliteSnapshotStore(OnBothSides<SnapshotTable>& table, OnBothSides<PluginTable>& plugins,
                      StoreThreads& threads)
      : table_(table), plugins_(plugins), threads_(threads) {}

  [[nodiscard]] Result<std::vector<SnapshotRow>> list() override;
  [[nodiscard]] Status put(const SnapshotRow& row) override;
  [[nodiscard]] Status remove(const std::string& snapshot_id) override;
  [[nodiscard]] Result<PluginData> capture(const std::string& plugin_id) override;
  [[nodiscard]] Status restore(const PluginRow& plugin, const PluginData& data,
                               const SnapshotRow& snapshot) override;

 private:
  OnBothSides<SnapshotTable>& table_;
  OnBothSides<PluginTable>& plugins_;
  StoreThreads& threads_;
};

}  // namespace svc::storage
