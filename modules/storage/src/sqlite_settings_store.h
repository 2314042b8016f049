#pragma once

#include "svc/kernel/executor.h"
#include "svc/storage/settings_store.h"

#include "settings_table.h"
#include "sides.h"
#include "store_threads.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store threads.
class SqliteSettingsStore final : public ISettingsStore {
 public:
  SqliteSettingsStore(OnBothSides<SettingsTable>& table, StoreThreads& threads, const IClock& clock)
      : table_(table), threads_(threads), clock_(clock) {}

  [[nodiscard]] Result<std::map<std::string, common::RawJson>> load(
      const std::string& plugin_id) override;
  [[nodiscard]] Status apply(const std::string& plugin_id,
                             const std::vector<SettingChange>& changes) override;

 private:
  OnBothSides<SettingsTable>& table_;
  StoreThreads& threads_;
  const IClock& clock_;
};

}  // namespace svc::storage
