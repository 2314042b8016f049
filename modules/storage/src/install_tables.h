#pragma once

#include <string>
#include <vector>

#include "svc/storage/install_store.h"

#include "database.h"

namespace svc::storage {

/// The tables install_jobs and marketplaces, through statements prepared once. Thread of the connection; throws SqliteFailure.
class InstallTables {
 public:
  explicit InstallTables(const Database& database);

  [[nodiscard]] std::vector<InstallJobRow> jobs();
  void putJob(const InstallJobRow& row);
  void removeJob(const std::string& id);
  [[nodiscard]] std::vector<MarketplaceRow> marketplaces();
  void putMarketplace(const MarketplaceRow& row);
  void removeMarketplace(const std::string& name);

 private:
  Statement list_jobs_;
  Statement put_job_;
  Statement remove_job_;
  Statement list_marketplaces_;
  Statement put_marketplace_;
  Statement remove_marketplace_;
};

}  // namespace svc::storage
