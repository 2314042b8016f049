#pragma once

#include <gmock/gmock.h>

#include "svc/plugins/plugins.h"

namespace svc::plugins {

class MockPluginApi : public IPluginApi {
 public:
  MockPluginApi();
  ~MockPluginApi() override;

  using Step = std::function<void(const GenerationPtr& generation, Completion<void> done)>;

  MOCK_METHOD(Handle, addPart, (ApiPart part), (override));
  MOCK_METHOD(Handle, addDisposeStep, (DisposePhase phase, Step step), (override));
  MOCK_METHOD(
      Handle, addArtifactStep,
      (std::function<void(const ArtifactRequest& request, Completion<std::vector<DevProblem>> done)>
           step),
      (override));
  MOCK_METHOD(Handle, addPrepareCheck, (Step check), (override));
  MOCK_METHOD(Handle, addCommitStep, (std::function<void(const GenerationPtr& generation)> step),
              (override));
};

}  // namespace svc::plugins
