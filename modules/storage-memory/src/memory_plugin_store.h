#pragma once

#include <map>
#include <mutex>
#include <string>

#include "svc/storage/plugin_store.h"

#include "memory_schedule_store.h"
#include "memory_settings_store.h"

namespace svc::storage_memory {

/// Keeps the rows for as long as the object lives. Thread-safe.
class MemoryPluginStore final : public storage::IPluginStore {
 public:
  MemoryPluginStore(MemorySettingsStore& settings, MemoryScheduleStore& schedules)
      : settings_(settings), schedules_(schedules) {}

  [[nodiscard]] Result<std::vector<storage::PluginRow>> list() override;
  [[nodiscard]] Result<std::optional<storage::PluginRow>> find(
      const std::string& plugin_id) override;
  [[nodiscard]] Status put(const storage::PluginRow& row) override;
  [[nodiscard]] Status remove(const std::string& plugin_id) override;

 private:
  MemorySettingsStore& settings_;
  MemoryScheduleStore& schedules_;
  std::mutex mutex_;
  std::map<std::string, storage::PluginRow> rows_;
};

}  // namespace svc::storage_memory
