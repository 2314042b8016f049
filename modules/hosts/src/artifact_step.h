#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/kernel/thread_bound.h"
#include "svc/plugins/plugins.h"

#include "host_artifact.h"

namespace svc::hosts {

/// The share of this module in load step 4: reads the built host entry and keeps it for the commit. Main thread only.
class ArtifactStep final : public std::enable_shared_from_this<ArtifactStep> {
 public:
  ArtifactStep(IMainExecutor& main, IWorkerPool& workers) : main_(main), workers_(workers) {}

  /// Refuses the load of a plugin whose host entry is not built right.
  void run(const plugins::ArtifactRequest& request,
           Completion<std::vector<plugins::DevProblem>> done);
  /// What was read for that load; null when the plugin has no host entry.
  [[nodiscard]] HostArtifactPtr take(const plugins::IGeneration& generation);
  /// Forgets what was read for plugins that are not installed any more.
  void keepOnly(const std::set<std::string>& plugin_ids);

 private:
  struct Ready {
    std::uint64_t load_id = 0;
    HostArtifactPtr artifact;
  };

  IMainExecutor& main_;
  IWorkerPool& workers_;
  /// Of the last load of each plugin: one that fails is replaced by the next.
  std::map<std::string, Ready> ready_;
  ThreadBound main_thread_;
};

}  // namespace svc::hosts
