#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <spdlog/logger.h>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/serverlink/server_link.h"

namespace svc::hostworkers {

/// The built host entry of a plugin.
struct Artifact {
  std::string plugin_id;
  std::string digest;  ///< sha256 in hex
  std::uint64_t bytes = 0;
  friend auto operator<=>(const Artifact&, const Artifact&) = default;
};

/// Where host entries come from. Main thread.
class IArtifacts {
 public:
  virtual ~IArtifacts() = default;
  /// The file, checked just now. Fires on the main thread. Errors: `artifact_unavailable`, `artifact_mismatch`.
  virtual void acquire(const Artifact& artifact, Completion<std::filesystem::path> done) = 0;
  /// The plugin is gone: so are its files.
  virtual void remove(const std::string& plugin_id) = 0;
  /// Only these plugins are there.
  virtual void keepOnly(std::set<std::string> plugin_ids) = 0;
};

/// Host entries that were downloaded, in <root>/<plugin id>/<digest>/host.mjs. What is found there is hashed before each use; bad
/// files are deleted and fetched again. Main thread; files are read and removed on workers.
class ArtifactCache final : public IArtifacts, public std::enable_shared_from_this<ArtifactCache> {
 public:
  struct Context {
    serverlink::IServerLink& link;
    IExecutor& main;
    IWorkerPool& pool;
    const IClock& clock;
    std::shared_ptr<spdlog::logger> log;
  };

  ArtifactCache(std::filesystem::path root, Context context)
      : root_(std::move(root)), context_(std::move(context)) {}

  void acquire(const Artifact& artifact, Completion<std::filesystem::path> done) override;
  void remove(const std::string& plugin_id) override;
  void keepOnly(std::set<std::string> plugin_ids) override;

 private:
  using Waiting = std::vector<Completion<std::filesystem::path>>;

  [[nodiscard]] std::filesystem::path fileOf(const Artifact& artifact) const;
  /// Runs `job` on a worker and `then` with its answer on the main thread, while this exists.
  template <class Job, class Then>
  void background(Job job, Then then);
  void look(const Artifact& artifact);
  void download(const Artifact& artifact, std::size_t attempt);
  void received(const Artifact& artifact, std::size_t attempt, const std::filesystem::path& staged,
                const Result<serverlink::Download>& result);
  void settle(const Artifact& artifact, const Status& outcome);

  std::filesystem::path root_;
  Context context_;
  /// Who waits for what is being looked for.
  std::map<Artifact, Waiting> wanted_;
};

}  // namespace svc::hostworkers
