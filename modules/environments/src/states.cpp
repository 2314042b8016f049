#include "states.h"

#include <algorithm>
#include <array>

namespace svc::environments {
namespace {

constexpr std::array kEdges{
    Edge{State::kCreating, Event::kPlaced, State::kProvisioning},
    Edge{State::kCreating, Event::kCreateFailed, State::kError},
    Edge{State::kProvisioning, Event::kSetupDone, State::kReady},
    Edge{State::kProvisioning, Event::kSetupFailed, State::kError},
    Edge{State::kReady, Event::kSetupAsked, State::kProvisioning},
    Edge{State::kError, Event::kCreateRetried, State::kCreating},
    Edge{State::kError, Event::kSetupRetried, State::kProvisioning},
    Edge{State::kReady, Event::kRemoved, State::kDestroyed},
    Edge{State::kError, Event::kRemoved, State::kDestroyed},
};

constexpr std::array kPhaseEdges{
    PhaseEdge{Phase::kActive, PhaseEvent::kUnused, Phase::kRetiring},
    PhaseEdge{Phase::kRetiring, PhaseEvent::kUsed, Phase::kActive},
    PhaseEdge{Phase::kRetiring, PhaseEvent::kGraceOver, Phase::kRemoving},
    PhaseEdge{Phase::kActive, PhaseEvent::kRemoveAsked, Phase::kRemoving},
    PhaseEdge{Phase::kRetiring, PhaseEvent::kRemoveAsked, Phase::kRemoving},
};

constexpr std::array<std::string_view, 5> kStates{"creating", "provisioning", "ready", "error",
                                                  "destroyed"};
constexpr std::array<std::string_view, 3> kPhases{"active", "retiring", "removing"};

}  // namespace

std::span<const Edge> edges() { return kEdges; }
std::span<const PhaseEdge> phaseEdges() { return kPhaseEdges; }

std::optional<State> next(State from, Event event) {
  const auto* const found = std::find_if(kEdges.begin(), kEdges.end(), [&](const Edge& edge) {
    return edge.from == from && edge.event == event;
  });
  return found == kEdges.end() ? std::nullopt : std::optional(found->to);
}

std::optional<Phase> next(Phase from, PhaseEvent event) {
  const auto* const found =
      std::find_if(kPhaseEdges.begin(), kPhaseEdges.end(),
                   [&](const PhaseEdge& edge) { return edge.from == from && edge.event == event; });
  return found == kPhaseEdges.end() ? std::nullopt : std::optional(found->to);
}

std::string_view name(State state) { return kStates.at(static_cast<std::size_t>(state)); }
std::string_view name(Phase phase) { return kPhases.at(static_cast<std::size_t>(phase)); }

State stateOf(std::string_view name) {
  const auto* const found = std::find(kStates.begin(), kStates.end(), name);
  return found == kStates.end() ? State::kDestroyed : static_cast<State>(found - kStates.begin());
}

Phase phaseOf(std::string_view name) {
  const auto* const found = std::find(kPhases.begin(), kPhases.end(), name);
  return found == kPhases.end() ? Phase::kRemoving : static_cast<Phase>(found - kPhases.begin());
}

}  // namespace svc::environments
