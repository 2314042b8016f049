#include "turn_machine.h"

#include <array>

namespace svc::threads {
namespace {

constexpr std::array kTurnEdges{
    TurnEdge{TurnState::kAccepted, TurnInput::kDispatch, TurnState::kDispatched},
    TurnEdge{TurnState::kAccepted, TurnInput::kFail, TurnState::kFailed},
    TurnEdge{TurnState::kAccepted, TurnInput::kInterrupt, TurnState::kInterrupted},
    TurnEdge{TurnState::kDispatched, TurnInput::kAcknowledge, TurnState::kStarted},
    TurnEdge{TurnState::kDispatched, TurnInput::kFail, TurnState::kFailed},
    TurnEdge{TurnState::kDispatched, TurnInput::kInterrupt, TurnState::kInterrupted},
    TurnEdge{TurnState::kStarted, TurnInput::kComplete, TurnState::kCompleted},
    TurnEdge{TurnState::kStarted, TurnInput::kFail, TurnState::kFailed},
    TurnEdge{TurnState::kStarted, TurnInput::kInterrupt, TurnState::kInterrupted},
};

struct TurnName {
  TurnState state;
  std::string_view name;
};
constexpr std::array kTurnNames{
    TurnName{TurnState::kAccepted, "accepted"}, TurnName{TurnState::kDispatched, "dispatched"},
    TurnName{TurnState::kStarted, "started"},   TurnName{TurnState::kCompleted, "completed"},
    TurnName{TurnState::kFailed, "failed"},     TurnName{TurnState::kInterrupted, "interrupted"},
};

TurnStep turnStepOf(const TurnEdge& edge) {
  const bool started = edge.from == TurnState::kStarted;
  switch (edge.to) {
    case TurnState::kDispatched:
      return {edge.to, {TurnEffect::kPrompt}};
    case TurnState::kStarted:
      return {edge.to, {TurnEffect::kLogStarted}, ThreadInput::kRunStarted};
    case TurnState::kCompleted:
      return {edge.to,
              {TurnEffect::kLogEnded, TurnEffect::kEndInteractions},
              ThreadInput::kRunSucceeded};
    case TurnState::kFailed:
      return {edge.to,
              {started ? TurnEffect::kLogEnded : TurnEffect::kLogRejected,
               TurnEffect::kEndInteractions, TurnEffect::kEmitFailed},
              ThreadInput::kRunFailed};
    case TurnState::kInterrupted:
      return {edge.to,
              {started ? TurnEffect::kLogEnded : TurnEffect::kLogRejected,
               TurnEffect::kEndInteractions},
              ThreadInput::kStopSettled};
    case TurnState::kAccepted:
      break;
  }
  return {edge.to};
}

}  // namespace

std::span<const TurnEdge> turnTable() { return kTurnEdges; }

std::optional<TurnStep> advance(TurnState state, TurnInput input) {
  for (const auto& edge : kTurnEdges) {
    if (edge.from == state && edge.input == input) {
      return turnStepOf(edge);
    }
  }
  return std::nullopt;
}

std::string_view nameOf(TurnState state) {
  for (const auto& each : kTurnNames) {
    if (each.state == state) {
      return each.name;
    }
  }
  return {};
}

std::optional<TurnState> turnStateOf(std::string_view name) {
  for (const auto& each : kTurnNames) {
    if (each.name == name) {
      return each.state;
    }
  }
  return std::nullopt;
}

bool isEnded(TurnState state) {
  return state == TurnState::kCompleted || state == TurnState::kFailed ||
         state == TurnState::kInterrupted;
}

}  // namespace svc::threads
