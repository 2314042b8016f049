#pragma once

#include <chrono>
#include <cstddef>

/// What plugins offer to agents and threads. Durations are milliseconds, sizes bytes. By their names in the contract; tests and messages
/// use these, never literals.
namespace svc::limits {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

inline constexpr milliseconds kAgentCallback = 2s;
/// Characters, as the one of labels.
inline constexpr std::size_t kInstructions = 4096;
inline constexpr std::size_t kToolLabel = 80;
inline constexpr std::size_t kConfigIds = 256;
inline constexpr std::size_t kParamOverride = 128UL * 1024;
inline constexpr std::size_t kToolResult = 8UL * 1024 * 1024;
/// Characters.
inline constexpr std::size_t kInputTitle = 160;
/// The payload of a form and its answer, each.
inline constexpr std::size_t kInputPayload = 64UL * 1024;
inline constexpr milliseconds kInputTimeout = 10min;
inline constexpr milliseconds kInputTimeoutMax = 60min;
inline constexpr milliseconds kDescribe = 2s;
/// Characters of a tool's name that leave room for the prefix of a client (D30); a longer one is offered with a warning.
inline constexpr std::size_t kAgentToolName = 50;
inline constexpr milliseconds kMentionSearch = 2s;
inline constexpr milliseconds kMentionResolve = 10s;
inline constexpr milliseconds kHookDecision = 10s;

}  // namespace svc::limits
