#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

/// One install job as the core database keeps it.
struct InstallJobRow {
  std::string id;
  std::string source;
  std::string state;  ///< queued, running, succeeded, failed, cancelled
  std::string step;
  std::string error;  ///< JSON {code, message}; empty when there is none
  std::string plugin_id;
  std::int64_t created_at = 0;
  std::int64_t finished_at = 0;  ///< 0 = not yet

  friend bool operator==(const InstallJobRow&, const InstallJobRow&) = default;
};

/// One marketplace and the last good copy of its list.
struct MarketplaceRow {
  std::string name;
  std::string source;   ///< as the user gave it
  std::string content;  ///< marketplace.json
  std::int64_t added_at = 0;
  std::int64_t refreshed_at = 0;  ///< of `content`
  std::string last_error;         ///< of the last refresh; empty when it succeeded

  friend bool operator==(const MarketplaceRow&, const MarketplaceRow&) = default;
};

/// What installs keep. Thread-safe. Every call blocks until the answer is durable, so it is never made from the io
/// thread or a script thread.
class IInstallStore {
 public:
  static constexpr ServiceId kId{"svc.storage.InstallStore", 1};
  virtual ~IInstallStore() = default;

  /// Ascending by id, which is by age.
  [[nodiscard]] virtual Result<std::vector<InstallJobRow>> jobs() = 0;
  /// Inserts or replaces. `invalid_argument` for an empty id.
  [[nodiscard]] virtual Status putJob(const InstallJobRow& row) = 0;
  /// Nothing happens when there is none.
  [[nodiscard]] virtual Status removeJob(const std::string& id) = 0;

  /// Ascending by name.
  [[nodiscard]] virtual Result<std::vector<MarketplaceRow>> marketplaces() = 0;
  /// Inserts or replaces. `invalid_argument` for an empty name.
  [[nodiscard]] virtual Status putMarketplace(const MarketplaceRow& row) = 0;
  /// Nothing happens when there is none.
  [[nodiscard]] virtual Status removeMarketplace(const std::string& name) = 0;
};

/// What every implementation answers to an empty key.
[[nodiscard]] inline Error noInstallKey() {
  return {errc::kInvalidArgument, "an install job needs an id and a marketplace a name"};
}

}  // namespace svc::storage
