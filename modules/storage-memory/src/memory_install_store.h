#pragma once

#include <map>
#include <mutex>
#include <string>

#include "svc/storage/install_store.h"

namespace svc::storage_memory {

/// Keeps install jobs and marketplaces for as long as the object lives. Thread-safe.
class MemoryInstallStore final : public storage::IInstallStore {
 public:
  [[nodiscard]] Result<std::vector<storage::InstallJobRow>> jobs() override;
  [[nodiscard]] Status putJob(const storage::InstallJobRow& row) override;
  [[nodiscard]] Status removeJob(const std::string& id) override;
  [[nodiscard]] Result<std::vector<storage::MarketplaceRow>> marketplaces() override;
  [[nodiscard]] Status putMarketplace(const storage::MarketplaceRow& row) override;
  [[nodiscard]] Status removeMarketplace(const std::string& name) override;

 private:
  std::mutex mutex_;
  std::map<std::string, storage::InstallJobRow> jobs_;
  std::map<std::string, storage::MarketplaceRow> marketplaces_;
};

}  // namespace svc::storage_memory
