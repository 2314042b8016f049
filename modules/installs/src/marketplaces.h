#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <spdlog/logger.h>

#include "svc/storage/install_store.h"

#include "marketplace_file.h"
#include "work.h"

namespace svc::installs {

struct Marketplace {
  storage::MarketplaceRow row;
  MarketplaceFile file;
  // Not stored: every list refreshes when the service starts.
  std::string resolved_commit{};  ///< of a git marketplace; empty = not known
  std::int64_t attempted_at = 0;  ///< of the last refresh, failed or not
  /// Comes with the service: not stored, not refreshed, not removed.
  bool is_shipped = false;
};

struct CatalogHit {
  std::string marketplace;
  MarketplaceEntry entry;
};

/// Lists of plugins from https, git and directories, and the one that comes with the service; the last good copy of each is kept. Main thread, except what says
/// otherwise.
class Marketplaces : public std::enable_shared_from_this<Marketplaces> {
 public:
  struct Context {
    Work& work;
    const IClock& clock;
    storage::IInstallStore& store;
    IProcesses& processes;
    Cache& cache;
    std::shared_ptr<spdlog::logger> log;
    /// <share>/examples with the list that comes with the service; empty for none.
    std::filesystem::path examples{};
  };
  explicit Marketplaces(Context with) : with_(std::move(with)) {}

  /// Reads what is stored. Blocks.
  [[nodiscard]] Status open();
  /// Refreshes every list now and every lim.marketplaceRefresh.
  void begin();
  void stop() { timer_.reset(); }

  [[nodiscard]] std::vector<Marketplace> list() const;                          ///< any thread
  [[nodiscard]] std::optional<Marketplace> get(const std::string& name) const;  ///< any thread
  void add(std::string source, Completion<Marketplace> done);
  void refresh(const std::string& name, Completion<Marketplace> done);
  void remove(const std::string& name, Completion<void> done);

  [[nodiscard]] std::vector<CatalogHit> search(std::string_view query) const;  ///< any thread
  /// An entry by its id; an empty marketplace means whichever lists it. Any thread. `install_refused` (not_found).
  [[nodiscard]] Result<CatalogHit> find(const std::string& entry_id,
                                        const std::string& marketplace) const;
  /// What an installed plugin's entry says today. `install_refused` (publisher_changed, source_changed, withdrawn) when it
  /// is no longer what was confirmed; the recorded source when its list is gone. Any thread.
  [[nodiscard]] Result<ManagedSource> current(const ManagedSource& installed) const;

 private:
  struct Fetched {
    std::string text;
    std::string commit{};  ///< empty unless it comes from git
  };
  /// Ends within lim.marketplaceRead.
  [[nodiscard]] Result<Fetched> fetch(const std::string& source, const std::stop_token& stop);
  [[nodiscard]] Result<Fetched> fetchWith(IProcesses& processes, const std::string& source,
                                          const std::stop_token& stop);
  [[nodiscard]] Result<Fetched> fetchGit(IProcesses& processes, const std::string& source,
                                         const std::stop_token& stop);
  void refreshAll();
  void openShipped();
  void store(const Marketplace& marketplace);
  void unstore(const std::string& name);

  Context with_;
  mutable std::mutex mutex_;
  std::map<std::string, Marketplace> marketplaces_;
  Handle timer_;
};

/// The origin an entry gives to what is installed from it.
[[nodiscard]] ManagedSource sourceOf(const CatalogHit& hit);

}  // namespace svc::installs
