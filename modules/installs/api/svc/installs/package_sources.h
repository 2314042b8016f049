#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"
#include "svc/storage/plugin_store.h"

namespace svc::installs {

/// One version that a source offers, as its manifest describes it.
struct Candidate {
  std::string version;
  std::string resolved;  ///< as PluginRow::resolved
  // Ranges of the manifest; empty = any.
  std::string engine_service;
  std::string engine_sdk;
};

/// What a source offers now.
struct Resolution {
  /// The source names one version (exact version, commit, tag): there is never anything newer.
  bool pinned = false;
  /// The newest version this service can run; the installed one when nothing is newer.
  std::optional<Candidate> candidate;
  /// A newer version that this service cannot run, and why.
  std::optional<Candidate> blocked;
  std::vector<std::string> blocked_reasons;
};

/// Where managed plugins (npm, git, tarball) come from, and the cache of their files. Any thread may call; completions
/// fire on the main thread. Blocking work runs on workers; a request that was stopped answers `aborted`.
class IPackageSources {
 public:
  static constexpr ServiceId kId{"svc.installs.PackageSources", 1};
  virtual ~IPackageSources() = default;

  /// The row as if it came from the source that an install request (the body of POST /plugins/install) names: another version, range,
  /// tag or branch of the same package or repository, or another tarball. What resolve() offers for it is what the source names,
  /// also when that is older or installed already. `invalid_input`, or a refusal (`id_in_use`: that is another source).
  [[nodiscard]] virtual Result<storage::PluginRow> redirected(const storage::PluginRow& installed,
                                                              const std::string& request) = 0;
  /// What the source of an installed plugin offers. Reads manifests only. A pinned source offers what is installed.
  virtual void resolve(storage::PluginRow installed, std::stop_token stop,
                       Completion<Resolution> done) = 0;
  /// Downloads, builds and verifies a candidate, and promotes it into the cache. Completes with the row the plugin has
  /// once it is switched to that version: `installed` with version, root_dir, resolved, digests and history replaced;
  /// nothing is stored. `progress` gets one line per step, on the main thread.
  virtual void stage(storage::PluginRow installed, Candidate candidate, std::stop_token stop,
                     std::function<void(const std::string& step)> progress,
                     Completion<storage::PluginRow> done) = 0;
  /// Whether the files of a row are there and are those that were downloaded. Reads all of them.
  virtual void isIntact(storage::PluginRow installed, Completion<bool> done) = 0;
  /// Keeps the files of a row from being pruned while the handle lives.
  [[nodiscard]] virtual Handle keep(const storage::PluginRow& row) = 0;
};

}  // namespace svc::installs
