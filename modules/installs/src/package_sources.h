#pragma once

#include "svc/installs/package_sources.h"

#include "marketplaces.h"
#include "packages.h"
#include "work.h"

namespace svc::installs {

/// The source of an installed row.
[[nodiscard]] ManagedSource sourceOf(const storage::PluginRow& row);

/// Updates of managed plugins: Packages on threads. Thread-safe.
class PackageSources final : public IPackageSources {
 public:
  /// `home` stands for "~" in sources.
  PackageSources(Packages& packages, const Marketplaces& marketplaces, Cache& cache,
                 const plugins::IManagedPlugins& plugins, Work& work, const IClock& clock,
                 std::string home = {})
      : packages_(packages),
        marketplaces_(marketplaces),
        cache_(cache),
        plugins_(plugins),
        work_(work),
        clock_(clock),
        home_(std::move(home)) {}

  [[nodiscard]] Result<storage::PluginRow> redirected(const storage::PluginRow& installed,
                                                      const std::string& request) override;
  void resolve(storage::PluginRow installed, std::stop_token stop,
               Completion<Resolution> done) override;
  void stage(storage::PluginRow installed, Candidate candidate, std::stop_token stop,
             std::function<void(const std::string& step)> progress,
             Completion<storage::PluginRow> done) override;
  void isIntact(storage::PluginRow installed, Completion<bool> done) override;
  [[nodiscard]] Handle keep(const storage::PluginRow& row) override;

 private:
  /// `install_refused` (tag_moved, integrity) when what was installed has another content under the same name.
  [[nodiscard]] static Status checkUnchanged(const storage::PluginRow& installed,
                                             const Located& found);
  [[nodiscard]] Result<Resolution> find(const storage::PluginRow& installed,
                                        const std::stop_token& stop);
  [[nodiscard]] Candidate installedCandidate(const storage::PluginRow& installed) const;

  Packages& packages_;
  const Marketplaces& marketplaces_;
  Cache& cache_;
  const plugins::IManagedPlugins& plugins_;
  Work& work_;
  const IClock& clock_;
  const std::string home_;
};

/// Notes when the row got its version: its other times change with every load.
void stampVersion(storage::PluginRow& row, std::int64_t now);

/// The row of a plugin that is switched to another version: its history grows by the one it had.
[[nodiscard]] storage::PluginRow switchedRow(const storage::PluginRow& installed,
                                             const storage::PluginRow& staged, std::int64_t now);

}  // namespace svc::installs
