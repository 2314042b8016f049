#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace svc::environments {

// The life of an environment, as data. Pure.

enum class State : std::uint8_t { kCreating, kProvisioning, kReady, kError, kDestroyed };
enum class Event : std::uint8_t {
  kPlaced,         ///< its folder is there
  kCreateFailed,   ///<
  kSetupDone,      ///< the script has ended with 0, or there is none
  kSetupFailed,    ///< failed, took too long, or was cancelled
  kSetupAsked,     ///< once more, of a ready one
  kCreateRetried,  ///<
  kSetupRetried,   ///<
  kRemoved,        ///< or kept, for the work in it
};

struct Edge {
  State from;
  Event event;
  State to;
};

/// How near its end one is that still has its state.
enum class Phase : std::uint8_t { kActive, kRetiring, kRemoving };
enum class PhaseEvent : std::uint8_t {
  kUnused,       ///< nobody uses it any more
  kUsed,         ///< somebody does again
  kGraceOver,    ///<
  kRemoveAsked,  ///< by somebody, who does not wait for the grace
};

struct PhaseEdge {
  Phase from;
  PhaseEvent event;
  Phase to;
};

/// All there is; what is not here does not happen.
[[nodiscard]] std::span<const Edge> edges();
[[nodiscard]] std::span<const PhaseEdge> phaseEdges();
[[nodiscard]] std::optional<State> next(State from, Event event);
[[nodiscard]] std::optional<Phase> next(Phase from, PhaseEvent event);

/// As the wire and the store have them.
[[nodiscard]] std::string_view name(State state);
[[nodiscard]] std::string_view name(Phase phase);
/// kDestroyed, which nothing leaves, for a name that nobody knows.
[[nodiscard]] State stateOf(std::string_view name);
[[nodiscard]] Phase phaseOf(std::string_view name);

}  // namespace svc::environments
