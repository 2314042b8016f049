#include "interaction_machine.h"

#include <array>

namespace svc::threads {
namespace {

constexpr std::array kInteractionEdges{
    InteractionEdge{InteractionState::kPending, InteractionInput::kAnswer,
                    InteractionState::kResolving},
    InteractionEdge{InteractionState::kPending, InteractionInput::kInterrupt,
                    InteractionState::kInterrupted},
    InteractionEdge{InteractionState::kResolving, InteractionInput::kDelivered,
                    InteractionState::kResolved},
    InteractionEdge{InteractionState::kResolving, InteractionInput::kDeliveryFailed,
                    InteractionState::kPending},
    InteractionEdge{InteractionState::kResolving, InteractionInput::kInterrupt,
                    InteractionState::kInterrupted},
};

struct InteractionName {
  InteractionState state;
  std::string_view name;
};
constexpr std::array kInteractionNames{
    InteractionName{InteractionState::kPending, "pending"},
    InteractionName{InteractionState::kResolving, "resolving"},
    InteractionName{InteractionState::kResolved, "resolved"},
    InteractionName{InteractionState::kInterrupted, "interrupted"},
};

std::vector<InteractionEffect> interactionEffectsOf(InteractionState to) {
  switch (to) {
    case InteractionState::kResolving:
      return {InteractionEffect::kLog, InteractionEffect::kDeliver};
    case InteractionState::kResolved:
      return {InteractionEffect::kLog, InteractionEffect::kUnblock};
    case InteractionState::kInterrupted:
      return {InteractionEffect::kLog, InteractionEffect::kWithdraw, InteractionEffect::kUnblock};
    case InteractionState::kPending:
      return {InteractionEffect::kLog};
  }
  return {};
}

}  // namespace

std::span<const InteractionEdge> interactionTable() { return kInteractionEdges; }

std::optional<InteractionStep> advance(InteractionState state, InteractionInput input) {
  for (const auto& edge : kInteractionEdges) {
    if (edge.from == state && edge.input == input) {
      return InteractionStep{edge.to, interactionEffectsOf(edge.to)};
    }
  }
  return std::nullopt;
}

std::string_view nameOf(InteractionState state) {
  for (const auto& each : kInteractionNames) {
    if (each.state == state) {
      return each.name;
    }
  }
  return {};
}

std::optional<InteractionState> interactionStateOf(std::string_view name) {
  for (const auto& each : kInteractionNames) {
    if (each.name == name) {
      return each.state;
    }
  }
  return std::nullopt;
}

bool isOpen(InteractionState state) {
  return state == InteractionState::kPending || state == InteractionState::kResolving;
}

}  // namespace svc::threads
