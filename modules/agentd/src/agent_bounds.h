#pragma once

#include <cstddef>

#include "svc/hostprotocol/agent_limits.h"

/// What is kept of one agent and told of it, beside the numbers that the server knows, too. Sizes are bytes.
namespace svc::limits {

/// Values in one line: each takes many times its bytes while the line is read. A line with more ends its session.
inline constexpr std::size_t kAgentLineValues = 200'000;
/// A name: of a tool, a call, a choice.
inline constexpr std::size_t kAgentName = 1024;
/// A path, a directory, an address.
inline constexpr std::size_t kAgentPath = 4096;
/// Steps of a plan that are told, and one of them.
inline constexpr std::size_t kAgentPlan = 500;
inline constexpr std::size_t kAgentPlanStep = 4096;
/// Commands, modes or options of a session, choices of a question; a list that is longer is left out.
inline constexpr std::size_t kAgentList = 1024UL * 1024;
/// Choices of one question.
inline constexpr std::size_t kAgentChoices = 200;
/// Of one tool call, how much is told again because it has changed while it goes on; then it is told with its end.
inline constexpr std::size_t kAgentRetold = 1024UL * 1024;
/// What is kept of the tool calls of one session, so that they can be updated. Beyond it the oldest is given up.
inline constexpr std::size_t kAgentToolBytes = 32UL * 1024 * 1024;

}  // namespace svc::limits
