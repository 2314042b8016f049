#pragma once

#include <filesystem>

#include "svc/installs/bundle_builder.h"
#include "svc/kernel/executor.h"

#include "build_queue.h"

namespace svc::app {

/// Builds what an installation needs: the declared bundles that are not up to date. A directory without a readable
/// manifest needs nothing; whoever registers it says what is wrong. Thread-safe.
class BuildService final : public installs::IBundleBuilder {
 public:
  BuildService(IMainExecutor& main, IWorkerPool& workers, BuildQueue& queue)
      : main_(main), workers_(workers), queue_(queue) {}

  void build(std::filesystem::path root, Completion<void> done) override;

 private:
  IMainExecutor& main_;
  IWorkerPool& workers_;
  BuildQueue& queue_;
};

}  // namespace svc::app
