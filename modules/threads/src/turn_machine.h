#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "thread_machine.h"

namespace svc::threads {

enum class TurnState : std::uint8_t {
  kAccepted,
  kDispatched,
  kStarted,
  kCompleted,
  kFailed,
  kInterrupted,
};

/// What happens to a turn.
enum class TurnInput : std::uint8_t {
  kDispatch,     ///< the environment is ready, the prompt goes to the machine
  kAcknowledge,  ///< the agent has taken the prompt
  kComplete,     ///< the agent reports a good end
  kFail,  ///< nobody can run it, the machine or the agent refused, or the agent reports a bad end
  kInterrupt,  ///< stop, delete, a lost machine, a restart of the server
};

/// What a transition asks for beside its own storing, in this order.
enum class TurnEffect : std::uint8_t {
  kPrompt,           ///< hand the prompt to the agent
  kLogStarted,       ///< turn/input/accepted, beside the agent's turn/started
  kLogRejected,      ///< client/turn/rejected: it ended before it started
  kLogEnded,         ///< turn/completed with the status
  kEndInteractions,  ///< what the agent asked for in it is interrupted
  kEmitFailed,       ///< tell plugins "turn.failed"
};

struct TurnEdge {
  TurnState from;
  TurnInput input;
  TurnState to;
};

struct TurnStep {
  TurnState state;
  std::vector<TurnEffect> effects{};
  /// What the thread learns of it.
  std::optional<ThreadInput> thread{};
};

[[nodiscard]] std::span<const TurnEdge> turnTable();
/// The next state, or nullopt when the input has no effect: what has ended never changes. Pure.
[[nodiscard]] std::optional<TurnStep> advance(TurnState state, TurnInput input);

[[nodiscard]] std::string_view nameOf(TurnState state);
[[nodiscard]] std::optional<TurnState> turnStateOf(std::string_view name);
[[nodiscard]] bool isEnded(TurnState state);

}  // namespace svc::threads
