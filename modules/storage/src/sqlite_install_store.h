#pragma once

#include "svc/storage/install_store.h"

#include "install_tables.h"
#include "sides.h"
#include "store_threads.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store threads.
class SqliteInstallStore final : public IInstallStore {
 public:
  SqliteInstallStore(OnBothSides<InstallTables>& tables, StoreThreads& threads)
      : tables_(tables), threads_(threads) {}

  [[nodiscard]] Result<std::vector<InstallJobRow>> jobs() override;
  [[nodiscard]] Status putJob(const InstallJobRow& row) override;
  [[nodiscard]] Status removeJob(const std::string& id) override;
  [[nodiscard]] Result<std::vector<MarketplaceRow>> marketplaces() override;
  [[nodiscard]] Status putMarketplace(const MarketplaceRow& row) override;
  [[nodiscard]] Status removeMarketplace(const std::string& name) override;

 private:
  OnBothSides<InstallTables>& tables_;
  StoreThreads& threads_;
};

}  // namespace svc::storage
