#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "svc/installs/bundle_builder.h"
#include "svc/installs/package_sources.h"
#include "svc/plugins/managed_plugins.h"

#include "cache.h"
#include "fetcher.h"
#include "git_client.h"
#include "npm_client.h"
#include "package_about.h"
#include "plugin_list.h"

namespace svc::installs {

/// Where a marketplace lists a source; empty for a source the user named.
struct CatalogOrigin {
  std::string entry_id;
  std::string marketplace;
  std::string publisher;

  friend bool operator==(const CatalogOrigin&, const CatalogOrigin&) = default;
};
[[nodiscard]] common::Json toJson(const CatalogOrigin& origin);
[[nodiscard]] CatalogOrigin originFromJson(const common::Json& value);

/// A source the service manages, as a row keeps it.
struct ManagedSource {
  SourceSpec spec;
  CatalogOrigin origin{};
};

/// One version of a source that can be fetched.
struct Located {
  ManagedSource source;
  std::string version{};   ///< empty: only the package itself says (tarballs)
  std::string resolved{};  ///< as PluginRow::resolved
  std::optional<plugins::ManifestSummary> manifest{};
  std::string integrity{};  ///< npm
  std::string registry{};   ///< npm
  GitChoice git{};
  /// The plugins that a repository lists beside the one at its root. Without a manifest there is none at its root, and one
  /// of these has to be chosen.
  std::vector<ListedPlugin> listed{};
};

struct Offer {
  std::optional<Located> compatible;
  std::optional<Located> blocked;
  std::vector<std::string> blocked_reasons;
};

/// True when a source can never offer another version.
[[nodiscard]] bool isPinned(const Located& located);
/// `install_refused` (no_manifest) with the names in details.entries while a plugin of the repository has to be chosen.
[[nodiscard]] Status checkChosen(const Located& located);

using Progress = std::function<void(const std::string& step)>;

/// Finds, fetches, builds and verifies packages. Thread-safe; everything blocks.
class Packages {
 public:
  /// References outlive it; `builder` may be null. `examples` has the tarballs that ship with the service.
  Packages(IProcesses& processes, Cache& cache, const plugins::IManagedPlugins& plugins,
           IBundleBuilder* builder, std::filesystem::path examples = {})
      : npm_(processes),
        git_(processes),
        fetcher_(processes),
        cache_(cache),
        plugins_(plugins),
        builder_(builder),
        examples_(std::move(examples)) {}

  /// What a source offers now: the newest version this service can run, and the newest one when that is another. A
  /// repository of which a plugin has to be chosen is refused.
  [[nodiscard]] Result<Offer> offer(const ManagedSource& source, const std::stop_token& stop);
  /// As offer(), but shows what there is to choose from: see Located::listed.
  [[nodiscard]] Result<Offer> look(const ManagedSource& source, const std::stop_token& stop);
  /// What a version says of itself: it is fetched as stage() does, but nothing is built, kept or run.
  [[nodiscard]] Result<PackageAbout> about(const Located& located, const std::stop_token& stop);
  /// The version that `resolved` names.
  [[nodiscard]] Result<Located> locate(const ManagedSource& source, const std::string& resolved,
                                       const std::stop_token& stop);
  /// `install_refused` (tag_moved) when the tag a row was installed from names another commit now.
  [[nodiscard]] Status checkTag(const storage::PluginRow& installed, const std::stop_token& stop);

  struct Staged {
    /// id, source, kind, root, version and what describes the version; the rest is the caller's.
    storage::PluginRow row;
    Handle keep;
  };
  /// What a package has to be; what is empty is whatever it says.
  struct Expected {
    std::string id{};
    /// Of an archive alone, whose place says nothing of who has made it.
    std::string package_name{};
  };
  /// Fetches a version into the cache.
  [[nodiscard]] Result<Staged> stage(const Located& located, const Expected& expected,
                                     const std::stop_token& stop, const Progress& progress);

 private:
  struct Tree;

  [[nodiscard]] Result<Offer> offerNpm(const ManagedSource& source, const std::stop_token& stop);
  [[nodiscard]] Result<Offer> offerGit(const ManagedSource& source, const std::stop_token& stop);
  [[nodiscard]] Result<Offer> offerExample(const ManagedSource& source,
                                           const std::stop_token& stop);
  [[nodiscard]] std::filesystem::path fileOf(const SourceSpec& example) const;
  [[nodiscard]] Result<Located> locateNpm(const ManagedSource& source, const std::string& version,
                                          const std::filesystem::path& directory,
                                          const std::stop_token& stop);
  [[nodiscard]] Result<Located> locateGit(const ManagedSource& source, const GitChoice& choice,
                                          const std::stop_token& stop);
  [[nodiscard]] Result<std::vector<ListedPlugin>> listed(const std::string& url,
                                                         const std::filesystem::path& repository,
                                                         const std::string& commit,
                                                         const std::stop_token& stop);
  /// Turns the entry of a spec into its directory.
  [[nodiscard]] Status chooseEntry(SourceSpec& spec, const std::filesystem::path& repository,
                                   const std::string& commit, const std::stop_token& stop);
  [[nodiscard]] Result<plugins::ManifestSummary> manifestOf(const SourceSpec& spec,
                                                            const std::filesystem::path& repository,
                                                            const std::string& commit,
                                                            const std::stop_token& stop);
  /// Sorts a version into an offer; true when the search is over.
  [[nodiscard]] bool consider(Offer& offer, Located located) const;

  /// A stage with the files of a version, without its dependencies.
  [[nodiscard]] Result<Tree> fetchTree(const Located& located, const std::stop_token& stop,
                                       const Progress& progress);
  [[nodiscard]] Status fetchNpm(Tree& tree, const Located& located, const std::stop_token& stop);
  [[nodiscard]] Status fetchGit(Tree& tree, const Located& located, const std::stop_token& stop);
  [[nodiscard]] Status fetchTarball(Tree& tree, const Located& located,
                                    const std::stop_token& stop);
  [[nodiscard]] Status build(const Tree& tree, const plugins::ManifestSummary& manifest,
                             const std::stop_token& stop);
  [[nodiscard]] Result<Staged> finish(Tree& tree, const Located& located,
                                      const plugins::ManifestSummary& manifest);

  NpmClient npm_;
  GitClient git_;
  Fetcher fetcher_;
  Cache& cache_;
  const plugins::IManagedPlugins& plugins_;
  IBundleBuilder* builder_;
  std::filesystem::path examples_;
};

/// `install_refused` (tag_moved): the tag a row was installed from names `commit` now.
[[nodiscard]] Error tagMoved(const storage::PluginRow& installed, const std::string& url,
                             const std::string& commit);

/// Checks that the bundles a manifest declares are in `root`/dist, with metadata that names this plugin and version, and
/// that a host bundle has the digest its metadata gives. Blocks; refusals are build_failed and identity_mismatch.
[[nodiscard]] Status checkBundles(const std::filesystem::path& root,
                                  const plugins::ManifestSummary& manifest);

}  // namespace svc::installs
