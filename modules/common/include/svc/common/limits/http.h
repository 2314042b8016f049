#pragma once

#include <chrono>
#include <cstddef>

/// Requests, bodies and WebSockets of the server. Durations are milliseconds, sizes bytes. By their names in the contract; tests and messages
/// use these, never literals.
namespace svc::limits {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

inline constexpr std::size_t kRpcBody = 8UL * 1024 * 1024;
inline constexpr milliseconds kRpcTimeout = 75s;
inline constexpr std::size_t kHeaders = 64UL * 1024;
inline constexpr milliseconds kKeepAlive = 75s;
inline constexpr milliseconds kReadStall = 30s;
inline constexpr std::size_t kPluginWsMessage = 16UL * 1024 * 1024;
inline constexpr std::size_t kHttpToken = 32;
inline constexpr std::size_t kSignalPayload = 1024UL * 1024;
inline constexpr std::size_t kWsClientMessage = 64UL * 1024;
inline constexpr std::size_t kWsSubscriptions = 1024;
inline constexpr std::size_t kWsBacklog = 4UL * 1024 * 1024;
inline constexpr milliseconds kWsPing = 25s;
inline constexpr milliseconds kWsShutdown = 1s;

}  // namespace svc::limits
