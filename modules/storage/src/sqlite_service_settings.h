#pragma once

#include "svc/kernel/executor.h"
#include "svc/storage/service_settings.h"

#include "service_settings_table.h"
#include "store_thread.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store thread.
class SqliteServiceSettings final : public IServiceSettings {
 public:
  SqliteServiceSettings(ServiceSettingsTable& table, StoreThread& thread, const IClock& clock)
      : table_(table), thread_(thread), clock_(clock) {}

  [[nodiscard]] Result<std::optional<std::string>> get(const std::string& key) override;
  [[nodiscard]] Status set(const std::string& key, const std::string& value) override;

 private:
  ServiceSettingsTable& table_;
  StoreThread& thread_;
  const IClock& clock_;
};

}  // namespace svc::storage
