#pragma once

#include "svc/kernel/executor.h"
#include "svc/storage/service_settings.h"

#include "service_settings_table.h"
#include "sides.h"
#include "store_threads.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store threads.
class SqliteServiceSettings final : public IServiceSettings {
 public:
  SqliteServiceSettings(OnBothSides<ServiceSettingsTable>& table, StoreThreads& threads,
                        const IClock& clock)
      : table_(table), threads_(threads), clock_(clock) {}

  [[nodiscard]] Result<std::optional<std::string>> get(const std::string& key) override;
  [[nodiscard]] Status set(const std::string& key, const std::string& value) override;

 private:
  OnBothSides<ServiceSettingsTable>& table_;
  StoreThreads& threads_;
  const IClock& clock_;
};

}  // namespace svc::storage
