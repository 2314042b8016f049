#pragma once

#include <map>
#include <string>
#include <vector>

#include "svc/storage/install_store.h"

namespace svc::installs {

/// Rows a test can look at and change.
class MemoryInstalls : public storage::IInstallStore {
 public:
  [[nodiscard]] Result<std::vector<storage::InstallJobRow>> jobs() override {
    std::vector<storage::InstallJobRow> out;
    for (const auto& [id, row] : rows) {
      out.push_back(row);
    }
    return out;
  }
  [[nodiscard]] Status putJob(const storage::InstallJobRow& row) override {
    if (full) {
      return Error{errc::kUnavailable, "disk full"};
    }
    rows[row.id] = row;
    return {};
  }
  [[nodiscard]] Status removeJob(const std::string& id) override {
    rows.erase(id);
    return {};
  }
  [[nodiscard]] Result<std::vector<storage::MarketplaceRow>> marketplaces() override {
    std::vector<storage::MarketplaceRow> out;
    for (const auto& [name, row] : lists) {
      out.push_back(row);
    }
    return out;
  }
  [[nodiscard]] Status putMarketplace(const storage::MarketplaceRow& row) override {
    lists[row.name] = row;
    return {};
  }
  [[nodiscard]] Status removeMarketplace(const std::string& name) override {
    lists.erase(name);
    return {};
  }
  bool full = false;  ///< no row of a job can be written
  std::map<std::string, storage::InstallJobRow> rows;
  std::map<std::string, storage::MarketplaceRow> lists;
};

}  // namespace svc::installs
