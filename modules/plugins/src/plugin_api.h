#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "svc/plugins/plugins.h"

namespace svc::plugins {

/// What channels have plugged in. Main thread only.
class PluginApi final : public IPluginApi {
 public:
  using Step = std::function<void(const GenerationPtr& generation, Completion<void> done)>;
  using Artifacts =
      std::function<void(const ArtifactRequest& request, Completion<std::vector<DevProblem>> done)>;
  using Commit = std::function<void(const GenerationPtr& generation)>;

  [[nodiscard]] Handle addPart(ApiPart part) override;
  [[nodiscard]] Handle addDisposeStep(DisposePhase phase, Step step) override;
  [[nodiscard]] Handle addArtifactStep(Artifacts step) override;
  [[nodiscard]] Handle addPrepareCheck(Step check) override;
  [[nodiscard]] Handle addCommitStep(Commit step) override;

  /// In the order added. Copies: a handle released while they run changes nothing for that run.
  [[nodiscard]] std::vector<std::shared_ptr<const ApiPart>> parts() const { return state_->parts; }
  [[nodiscard]] std::vector<std::shared_ptr<const Step>> disposeSteps(DisposePhase phase) const;
  [[nodiscard]] std::vector<std::shared_ptr<const Artifacts>> artifactSteps() const {
    return state_->artifacts;
  }
  [[nodiscard]] std::vector<std::shared_ptr<const Step>> prepareChecks() const {
    return state_->checks;
  }
  [[nodiscard]] std::vector<std::shared_ptr<const Commit>> commitSteps() const {
    return state_->commits;
  }

 private:
  struct State {
    std::vector<std::shared_ptr<const ApiPart>> parts;
    std::vector<std::pair<DisposePhase, std::shared_ptr<const Step>>> steps;
    std::vector<std::shared_ptr<const Artifacts>> artifacts;
    std::vector<std::shared_ptr<const Step>> checks;
    std::vector<std::shared_ptr<const Commit>> commits;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace svc::plugins
