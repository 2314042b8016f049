#pragma once

#include <map>
#include <mutex>
#include <string>

#include "svc/storage/plugin_meter_store.h"
#include "svc/storage/plugin_store.h"

#include "memory_schedule_store.h"
#include "memory_settings_store.h"

namespace svc::storage_memory {

/// Keeps the rows for as long as the object lives. Thread-safe.
class MemoryPluginStore final : public storage::IPluginStore, public storage::IPluginMeterStore {
 public:
  MemoryPluginStore(MemorySettingsStore& settings, MemoryScheduleStore& schedules)
      : settings_(settings), schedules_(schedules) {}

  [[nodiscard]] Result<std::vector<storage::PluginRow>> list() override;
  [[nodiscard]] Result<std::optional<storage::PluginRow>> find(
      const std::string& plugin_id) override;
  [[nodiscard]] Status put(const storage::PluginRow& row) override;
  [[nodiscard]] Status remove(const std::string& plugin_id) override;
  [[nodiscard]] Result<std::map<std::string, std::string>> meters() override;
  [[nodiscard]] Status putMeters(const std::map<std::string, std::string>& texts) override;

 private:
  MemorySettingsStore& settings_;
  MemoryScheduleStore& schedules_;
  std::mutex mutex_;
  std::map<std::string, storage::PluginRow> rows_;
  std::map<std::string, std::string> meters_;
};

}  // namespace svc::storage_memory
