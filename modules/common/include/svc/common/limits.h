#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

/// Every number of the contract that the server side uses, by its name in the contract. Durations are
/// milliseconds, sizes bytes. Tests and error messages use these, never literals.
namespace svc::limits {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

inline constexpr milliseconds kFactory = 30s;
inline constexpr milliseconds kPrepare = 10s;
inline constexpr milliseconds kServiceStop = 5s;
inline constexpr milliseconds kDisposeHook = 5s;
inline constexpr milliseconds kDrainLog = 5s;
inline constexpr milliseconds kDrain = 30s;
inline constexpr milliseconds kDisposeTotal = 60s;
inline constexpr milliseconds kHandover = 5s;
inline constexpr std::size_t kHeldCalls = 1024;
inline constexpr milliseconds kWatchdog = 10s;
inline constexpr milliseconds kTerminate = 30s;
inline constexpr std::int64_t kPluginHeapMiB = 512;
inline constexpr std::size_t kLogLine = 64UL * 1024;
inline constexpr std::size_t kLogFile = 5UL * 1024 * 1024;
inline constexpr std::size_t kLogTailDefault = 100;
inline constexpr std::size_t kLogTail = 10'000;
inline constexpr milliseconds kLogWait = 25s;
inline constexpr std::size_t kKvKey = 512;
inline constexpr std::size_t kKvValue = 262'144;
inline constexpr std::size_t kRpcBody = 8UL * 1024 * 1024;
inline constexpr milliseconds kRpcTimeout = 75s;
inline constexpr std::size_t kHeaders = 64UL * 1024;
inline constexpr milliseconds kKeepAlive = 75s;
inline constexpr milliseconds kReadStall = 30s;
inline constexpr std::size_t kSignalPayload = 1024UL * 1024;
inline constexpr std::size_t kWsClientMessage = 64UL * 1024;
inline constexpr std::size_t kWsSubscriptions = 1024;
inline constexpr std::size_t kWsBacklog = 4UL * 1024 * 1024;
inline constexpr milliseconds kWsPing = 25s;
inline constexpr milliseconds kWsShutdown = 1s;
inline constexpr std::size_t kCliOutput = 1'048'576;
inline constexpr milliseconds kCliKeepAlive = 10s;
inline constexpr milliseconds kCliRun = 60min;
inline constexpr milliseconds kCliClientWait = 65min;
inline constexpr std::size_t kCliStdin = 16UL * 1024;

}  // namespace svc::limits
