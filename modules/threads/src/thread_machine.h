#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace svc::threads {

enum class ThreadState : std::uint8_t { kPending, kIdle, kStarting, kActive, kStopping, kError };

/// What happens to the run of a thread.
enum class ThreadInput : std::uint8_t {
  kRunPreparing,
  kRunStarted,
  kRunSucceeded,
  kRunFailed,
  kStopRequested,
  kStopSettled,
};

/// What a transition asks for beside its own storing.
enum class ThreadEffect : std::uint8_t {
  kEmitActive,  ///< tell plugins "thread.active"
  kEmitIdle,    ///< tell plugins "thread.idle"
  kEmitFailed,  ///< tell plugins "thread.failed"
  kEndRun,      ///< cancel what the agent does, or what is still being prepared
  kAttention,   ///< the thread has something new for its reader
  kDrainQueue,  ///< what waits may be sent now
};

struct ThreadEdge {
  ThreadState from;
  ThreadInput input;
  ThreadState to;
};

/// What the rules know of a thread beside its state.
struct ThreadFacts {
  bool archived = false;
  bool deleted = false;
};

struct ThreadStep {
  ThreadState state;
  std::vector<ThreadEffect> effects{};
};

/// Every transition there is; what is not in it has no effect.
[[nodiscard]] std::span<const ThreadEdge> threadTable();

/// The next state with what it asks for, or nullopt when the input has no effect in this state. Pure.
[[nodiscard]] std::optional<ThreadStep> advance(ThreadState state, ThreadInput input,
                                                const ThreadFacts& facts);

/// As the contract writes it.
[[nodiscard]] std::string_view nameOf(ThreadState state);
[[nodiscard]] std::optional<ThreadState> threadStateOf(std::string_view name);
/// A run is under way: a stop has something to end.
[[nodiscard]] bool isBusy(ThreadState state);

}  // namespace svc::threads
