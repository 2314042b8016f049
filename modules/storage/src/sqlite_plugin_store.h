#pragma once

#include "svc/storage/plugin_store.h"

#include "plugin_table.h"
#include "store_thread.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store thread.
class SqlitePluginStore final : public IPluginStore {
 public:
  SqlitePluginStore(PluginTable& table, StoreThread& thread) : table_(table), thread_(thread) {}

  [[nodiscard]] Result<std::vector<PluginRow>> list() override;
  [[nodiscard]] Result<std::optional<PluginRow>> find(const std::string& plugin_id) override;
  [[nodiscard]] Status put(const PluginRow& row) override;
  [[nodiscard]] Status remove(const std::string& plugin_id) override;

 private:
  PluginTable& table_;
  StoreThread& thread_;
};

}  // namespace svc::storage
