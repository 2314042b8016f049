#include "plugin_api.h"

#include <array>

namespace svc::plugins {

std::string_view phaseName(DisposePhase phase) {
  constexpr std::array<std::string_view, kDisposePhaseCount> kNames{
      "close WebSockets",  "dispose host worker", "abort tool calls", "interrupt interactions",
      "stop services",     "run onDispose hooks", "drain calls",      "close databases",
      "invalidate context"};
  return kNames.at(static_cast<std::size_t>(phase));
}

Handle PluginApi::addPart(ApiPart part) {
  auto entry = std::make_shared<const ApiPart>(std::move(part));
  state_->parts.push_back(entry);
  return Handle([state = state_, entry] { std::erase(state->parts, entry); });
}

Handle PluginApi::addDisposeStep(DisposePhase phase, Step step) {
  auto entry = std::make_pair(phase, std::make_shared<const Step>(std::move(step)));
  state_->steps.push_back(entry);
  return Handle([state = state_, entry] { std::erase(state->steps, entry); });
}

Handle PluginApi::addArtifactStep(Artifacts step) {
  auto entry = std::make_shared<const Artifacts>(std::move(step));
  state_->artifacts.push_back(entry);
  return Handle([state = state_, entry] { std::erase(state->artifacts, entry); });
}

Handle PluginApi::addPrepareCheck(Step check) {
  auto entry = std::make_shared<const Step>(std::move(check));
  state_->checks.push_back(entry);
  return Handle([state = state_, entry] { std::erase(state->checks, entry); });
}

Handle PluginApi::addCommitStep(Commit step) {
  auto entry = std::make_shared<const Commit>(std::move(step));
  state_->commits.push_back(entry);
  return Handle([state = state_, entry] { std::erase(state->commits, entry); });
}

std::vector<std::shared_ptr<const PluginApi::Step>> PluginApi::disposeSteps(
    DisposePhase phase) const {
  std::vector<std::shared_ptr<const Step>> out;
  for (const auto& [registered, step] : state_->steps) {
    if (registered == phase) {
      out.push_back(step);
    }
  }
  return out;
}

}  // namespace svc::plugins
