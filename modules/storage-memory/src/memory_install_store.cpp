#include "memory_install_store.h"

namespace svc::storage_memory {
namespace {

template <class Row>
std::vector<Row> valuesOf(const std::map<std::string, Row>& rows) {
  std::vector<Row> out;
  out.reserve(rows.size());
  for (const auto& [key, row] : rows) {
    out.push_back(row);
  }
  return out;
}

}  // namespace

Result<std::vector<storage::InstallJobRow>> MemoryInstallStore::jobs() {
  const std::lock_guard lock(mutex_);
  return valuesOf(jobs_);
}

Status MemoryInstallStore::putJob(const storage::InstallJobRow& row) {
  if (row.id.empty()) {
    return storage::noInstallKey();
  }
  const std::lock_guard lock(mutex_);
  jobs_.insert_or_assign(row.id, row);
  return {};
}

Status MemoryInstallStore::removeJob(const std::string& id) {
  const std::lock_guard lock(mutex_);
  jobs_.erase(id);
  return {};
}

Result<std::vector<storage::MarketplaceRow>> MemoryInstallStore::marketplaces() {
  const std::lock_guard lock(mutex_);
  return valuesOf(marketplaces_);
}

Status MemoryInstallStore::putMarketplace(const storage::MarketplaceRow& row) {
  if (row.name.empty()) {
    return storage::noInstallKey();
  }
  const std::lock_guard lock(mutex_);
  marketplaces_.insert_or_assign(row.name, row);
  return {};
}

Status MemoryInstallStore::removeMarketplace(const std::string& name) {
  const std::lock_guard lock(mutex_);
  marketplaces_.erase(name);
  return {};
}

}  // namespace svc::storage_memory
