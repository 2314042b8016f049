#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "marketplaces.h"
#include "packages.h"

namespace svc::installs {

/// What a client asks for.
struct InstallRequest {
  SourceSpec spec;
  /// The resolved source the user has seen; needed for catalogue entries, else empty when nobody looked.
  std::string confirmed_source{};
};

/// What an install would take.
struct InstallPreview {
  std::string id{};       ///< empty: only the package says
  std::string package{};  ///< as id
  std::string version{};  ///< as id
  std::string source{};
  std::string resolved{};
  std::string from{};  ///< for people
  std::string incompatible{};
  bool pinned = true;
  std::string subdirectory{};  ///< of the repository; empty = its root
  CatalogOrigin origin{};
  /// What a repository lists when the request names none of them. Without an id, one has to be chosen.
  std::vector<ListedPlugin> entries{};
};

/// Finds what a request means. Thread-safe; blocks.
class InstallTargets {
 public:
  InstallTargets(Packages& packages, const Marketplaces& marketplaces,
                 const plugins::IManagedPlugins& plugins, std::string home)
      : packages_(packages),
        marketplaces_(marketplaces),
        plugins_(plugins),
        home_(std::move(home)) {}

  /// The version an install takes. `install_refused` (also not_confirmed, source_changed), `incompatible`.
  [[nodiscard]] Result<Located> find(const InstallRequest& request, const std::stop_token& stop);
  [[nodiscard]] Result<InstallPreview> describe(const InstallRequest& request,
                                                const std::stop_token& stop);
  /// What it would take says of itself. As find(), also `no_manifest` for a repository of which a plugin has to be chosen; a version
  /// that the service cannot run tells, too.
  [[nodiscard]] Result<PackageAbout> about(const InstallRequest& request,
                                           const std::stop_token& stop);

  /// The directory of a path source; empty when it is not absolute.
  [[nodiscard]] std::filesystem::path directoryOf(const SourceSpec& spec) const;

 private:
  /// A catalogue entry's own source; any other as it is.
  [[nodiscard]] Result<ManagedSource> sourceOf(const InstallRequest& request) const;
  /// Where a path or bundled source is. `install_refused` (not_found).
  [[nodiscard]] Result<std::filesystem::path> placeOf(const SourceSpec& spec) const;
  [[nodiscard]] Result<InstallPreview> describePlace(const SourceSpec& spec) const;

  Packages& packages_;
  const Marketplaces& marketplaces_;
  const plugins::IManagedPlugins& plugins_;
  std::string home_;
};

}  // namespace svc::installs
