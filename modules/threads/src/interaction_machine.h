#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace svc::threads {

enum class InteractionState : std::uint8_t { kPending, kResolving, kResolved, kInterrupted };

enum class InteractionInput : std::uint8_t {
  kAnswer,          ///< the first valid answer
  kDelivered,       ///< who asked has it
  kDeliveryFailed,  ///< and can be tried again
  kInterrupt,       ///< cancel, timeout, stop, delete, dispose, restart; the reason is stored
};

enum class InteractionEffect : std::uint8_t {
  kDeliver,   ///< give who asked the answer
  kWithdraw,  ///< tell who asked that there is none
  kLog,       ///< its lifecycle event
  kUnblock,   ///< queued rows that wait for it may go
};

struct InteractionEdge {
  InteractionState from;
  InteractionInput input;
  InteractionState to;
};

struct InteractionStep {
  InteractionState state;
  std::vector<InteractionEffect> effects{};
};

[[nodiscard]] std::span<const InteractionEdge> interactionTable();
/// The next state, or nullopt when the input has no effect: of two answers the second one is refused. Pure.
[[nodiscard]] std::optional<InteractionStep> advance(InteractionState state,
                                                     InteractionInput input);

[[nodiscard]] std::string_view nameOf(InteractionState state);
[[nodiscard]] std::optional<InteractionState> interactionStateOf(std::string_view name);
/// Somebody still waits for its end.
[[nodiscard]] bool isOpen(InteractionState state);

}  // namespace svc::threads
