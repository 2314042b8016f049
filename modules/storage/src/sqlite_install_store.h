#pragma once

#include "svc/storage/install_store.h"

#include "install_tables.h"
#include "store_thread.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store thread.
class SqliteInstallStore final : public IInstallStore {
 public:
  SqliteInstallStore(InstallTables& tables, StoreThread& thread)
      : tables_(tables), thread_(thread) {}

  [[nodiscard]] Result<std::vector<InstallJobRow>> jobs() override;
  [[nodiscard]] Status putJob(const InstallJobRow& row) override;
  [[nodiscard]] Status removeJob(const std::string& id) override;
  [[nodiscard]] Result<std::vector<MarketplaceRow>> marketplaces() override;
  [[nodiscard]] Status putMarketplace(const MarketplaceRow& row) override;
  [[nodiscard]] Status removeMarketplace(const std::string& name) override;

 private:
  InstallTables& tables_;
  StoreThread& thread_;
};

}  // namespace svc::storage
