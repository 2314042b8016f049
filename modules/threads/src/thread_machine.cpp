#include "thread_machine.h"

namespace svc::threads {
namespace {

using In = ThreadInput;
using St = ThreadState;

constexpr std::array kThreadEdges{
    ThreadEdge{St::kPending, In::kRunPreparing, St::kStarting},
    ThreadEdge{St::kIdle, In::kRunPreparing, St::kStarting},
    ThreadEdge{St::kIdle, In::kRunStarted, St::kActive},
    ThreadEdge{St::kStarting, In::kRunStarted, St::kActive},
    ThreadEdge{St::kStarting, In::kRunSucceeded, St::kIdle},
    ThreadEdge{St::kStarting, In::kRunFailed, St::kError},
    ThreadEdge{St::kStarting, In::kStopRequested, St::kStopping},
    ThreadEdge{St::kActive, In::kRunSucceeded, St::kIdle},
    ThreadEdge{St::kActive, In::kRunFailed, St::kError},
    ThreadEdge{St::kActive, In::kStopRequested, St::kStopping},
    ThreadEdge{St::kStopping, In::kRunSucceeded, St::kIdle},
    ThreadEdge{St::kStopping, In::kRunFailed, St::kError},
    ThreadEdge{St::kStopping, In::kStopSettled, St::kIdle},
    ThreadEdge{St::kError, In::kRunPreparing, St::kStarting},
    ThreadEdge{St::kError, In::kRunStarted, St::kActive},
};

struct StateName {
  ThreadState state;
  std::string_view name;
};
constexpr std::array kThreadNames{
    StateName{St::kPending, "pending"},   StateName{St::kIdle, "idle"},
    StateName{St::kStarting, "starting"}, StateName{St::kActive, "active"},
    StateName{St::kStopping, "stopping"}, StateName{St::kError, "error"},
};

/// Whether the thread may still take the input at all.
bool takes(ThreadInput input, const ThreadFacts& facts) {
  if (input == In::kRunPreparing || input == In::kRunStarted) {
    return !facts.archived && !facts.deleted;
  }
  return input != In::kRunFailed || !facts.deleted;
}

std::vector<ThreadEffect> threadEffectsOf(const ThreadEdge& edge) {
  switch (edge.to) {
    case St::kActive:
      return {ThreadEffect::kEmitActive};
    case St::kIdle:
      return {ThreadEffect::kAttention, ThreadEffect::kEmitIdle, ThreadEffect::kDrainQueue};
    case St::kError:
      return {ThreadEffect::kAttention, ThreadEffect::kEmitFailed};
    case St::kStopping:
      return {ThreadEffect::kEndRun};
    case St::kPending:
    case St::kStarting:
      break;
  }
  return {};
}

}  // namespace

std::span<const ThreadEdge> threadTable() { return kThreadEdges; }

std::optional<ThreadStep> advance(ThreadState state, ThreadInput input, const ThreadFacts& facts) {
  if (!takes(input, facts)) {
    return std::nullopt;
  }
  for (const auto& edge : kThreadEdges) {
    if (edge.from == state && edge.input == input) {
      return ThreadStep{edge.to, threadEffectsOf(edge)};
    }
  }
  return std::nullopt;
}

std::string_view nameOf(ThreadState state) {
  for (const auto& each : kThreadNames) {
    if (each.state == state) {
      return each.name;
    }
  }
  return {};
}

std::optional<ThreadState> threadStateOf(std::string_view name) {
  for (const auto& each : kThreadNames) {
    if (each.name == name) {
      return each.state;
    }
  }
  return std::nullopt;
}

bool isBusy(ThreadState state) {
  return state == St::kStarting || state == St::kActive || state == St::kStopping;
}

}  // namespace svc::threads
