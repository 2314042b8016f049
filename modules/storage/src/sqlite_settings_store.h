#pragma once

#include "svc/kernel/executor.h"
#include "svc/storage/settings_store.h"

#include "settings_table.h"
#include "store_thread.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store thread.
class SqliteSettingsStore final : public ISettingsStore {
 public:
  SqliteSettingsStore(SettingsTable& table, StoreThread& thread, const IClock& clock)
      : table_(table), thread_(thread), clock_(clock) {}

  [[nodiscard]] Result<std::map<std::string, common::RawJson>> load(
      const std::string& plugin_id) override;
  [[nodiscard]] Status apply(const std::string& plugin_id,
                             const std::vector<SettingChange>& changes) override;

 private:
  SettingsTable& table_;
  StoreThread& thread_;
  const IClock& clock_;
};

}  // namespace svc::storage
