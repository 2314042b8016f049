#pragma once

#include "svc/storage/plugin_meter_store.h"
#include "svc/storage/plugin_store.h"

#include "plugin_table.h"
#include "sides.h"
#include "store_threads.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store threads.
class SqlitePluginStore final : public IPluginStore, public IPluginMeterStore {
 public:
  SqlitePluginStore(OnBothSides<PluginTable>& table, StoreThreads& threads)
      : table_(table), threads_(threads) {}

  [[nodiscard]] Result<std::vector<PluginRow>> list() override;
  [[nodiscard]] Result<std::optional<PluginRow>> find(const std::string& plugin_id) override;
  [[nodiscard]] Status put(const PluginRow& row) override;
  [[nodiscard]] Status remove(const std::string& plugin_id) override;
  [[nodiscard]] Result<std::map<std::string, std::string>> meters() override;
  [[nodiscard]] Status putMeters(const std::map<std::string, std::string>& texts) override;

 private:
  OnBothSides<PluginTable>& table_;
  StoreThreads& threads_;
};

}  // namespace svc::storage
