#include "sqlite_install_store.h"

#include "blocking.h"

namespace svc::storage {

Result<std::vector<InstallJobRow>> SqliteInstallStore::jobs() {
  return runBlocking(thread_, Access::kRead,
                     [this]() -> Result<std::vector<InstallJobRow>> { return tables_.jobs(); });
}

Status SqliteInstallStore::putJob(const InstallJobRow& row) {
  if (row.id.empty()) {
    return noInstallKey();
  }
  return runBlocking(thread_, Access::kWrite,
                     [this, row]() -> Status { return tables_.putJob(row), Status{}; });
}

Status SqliteInstallStore::removeJob(const std::string& id) {
  return runBlocking(thread_, Access::kWrite,
                     [this, id]() -> Status { return tables_.removeJob(id), Status{}; });
}

Result<std::vector<MarketplaceRow>> SqliteInstallStore::marketplaces() {
  return runBlocking(thread_, Access::kRead, [this]() -> Result<std::vector<MarketplaceRow>> {
    return tables_.marketplaces();
  });
}

Status SqliteInstallStore::putMarketplace(const MarketplaceRow& row) {
  if (row.name.empty()) {
    return noInstallKey();
  }
  return runBlocking(thread_, Access::kWrite,
                     [this, row]() -> Status { return tables_.putMarketplace(row), Status{}; });
}

Status SqliteInstallStore::removeMarketplace(const std::string& name) {
  return runBlocking(thread_, Access::kWrite, [this, name]() -> Status {
    return tables_.removeMarketplace(name), Status{};
  });
}

}  // namespace svc::storage
