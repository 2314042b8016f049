#pragma once

#include <map>
#include <mutex>
#include <string>

#include "svc/storage/snapshot_store.h"

#include "memory_key_value_store.h"
#include "memory_plugin_store.h"

namespace svc::storage_memory {

/// Keeps snapshot rows for as long as the object lives, over the other stores. Thread-safe.
class MemorySnapshotStore final : public storage::ISnapshotStore {
 public:
  struct Stores {
    MemoryKeyValueStore& key_values;
    MemorySettingsStore& settings;
    MemoryScheduleStore& schedules;
    MemoryPluginStore& plugins;
  };
  explicit MemorySnapshotStore(const Stores& stores) : stores_(stores) {}

  [[nodiscard]] Result<std::vector<storage::SnapshotRow>> list() override;
  [[nodiscard]] Status put(const storage::SnapshotRow& row) override;
  [[nodiscard]] Status remove(const std::string& snapshot_id) override;
  [[nodiscard]] Result<storage::PluginData> capture(const std::string& plugin_id) override;
  [[nodiscard]] Status restore(const storage::PluginRow& plugin, const storage::PluginData& data,
                               const storage::SnapshotRow& snapshot) override;

 private:
  Stores stores_;
  std::mutex mutex_;
  std::map<std::string, storage::SnapshotRow> rows_;
};

}  // namespace svc::storage_memory
