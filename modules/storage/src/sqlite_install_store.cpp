#include "sqlite_install_store.h"

#include "blocking.h"

namespace svc::storage {

Result<std::vector<InstallJobRow>> SqliteInstallStore::jobs() {
  return runBlocking(
      threads_, Access::kRead,
      [this](Side side) -> Result<std::vector<InstallJobRow>> { return tables_.on(side).jobs(); });
}

Status SqliteInstallStore::putJob(const InstallJobRow& row) {
  if (row.id.empty()) {
    return noInstallKey();
  }
  return runBlocking(threads_, Access::kWrite, [this, row](Side side) -> Status {
    return tables_.on(side).putJob(row), Status{};
  });
}

Status SqliteInstallStore::removeJob(const std::string& id) {
  return runBlocking(threads_, Access::kWrite, [this, id](Side side) -> Status {
    return tables_.on(side).removeJob(id), Status{};
  });
}

Result<std::vector<MarketplaceRow>> SqliteInstallStore::marketplaces() {
  return runBlocking(threads_, Access::kRead,
                     [this](Side side) -> Result<std::vector<MarketplaceRow>> {
                       return tables_.on(side).marketplaces();
                     });
}

Status SqliteInstallStore::putMarketplace(const MarketplaceRow& row) {
  if (row.name.empty()) {
    return noInstallKey();
  }
  return runBlocking(threads_, Access::kWrite, [this, row](Side side) -> Status {
    return tables_.on(side).putMarketplace(row), Status{};
  });
}

Status SqliteInstallStore::removeMarketplace(const std::string& name) {
  return runBlocking(threads_, Access::kWrite, [this, name](Side side) -> Status {
    return tables_.on(side).removeMarketplace(name), Status{};
  });
}

}  // namespace svc::storage
