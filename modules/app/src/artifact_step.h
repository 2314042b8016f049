#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

#include "build_queue.h"
#include "bundle_shelf.h"

namespace svc::app {

/// The share of this module in a load: step 4 builds and reads the bundles, the prepare check hangs the app bundle on
/// the generation, the commit step puts it on the shelf. Main thread only.
class ArtifactStep {
 public:
  ArtifactStep(IMainExecutor& main, IWorkerPool& workers, BuildQueue& queue, BundleShelf& shelf);

  void run(const plugins::ArtifactRequest& request,
           Completion<std::vector<plugins::DevProblem>> done);
  void prepare(const plugins::GenerationPtr& generation);
  void commit(const plugins::GenerationPtr& generation);

 private:
  struct Work;
  struct Outcome {
    std::vector<plugins::DevProblem> problems;
    AppBundlePtr app;
  };

  void finish(const std::shared_ptr<Work>& work, Result<Outcome> outcome);
  static void buildNext(BuildQueue& queue, const std::shared_ptr<Work>& work);
  [[nodiscard]] static Result<Outcome> read(Work& work);

  IMainExecutor& main_;
  IWorkerPool& workers_;
  BuildQueue& queue_;
  BundleShelf& shelf_;
  /// What step 4 of a load has read, until its generation is there: one per plugin.
  struct Pending {
    std::uint64_t load_id = 0;
    AppBundlePtr app;
  };
  std::map<std::string, Pending> pending_;
};

}  // namespace svc::app
