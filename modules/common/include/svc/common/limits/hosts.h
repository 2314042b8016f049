#pragma once

#include <chrono>
#include <cstddef>

/// Machines, their daemons, host entries and watches. Durations are milliseconds, sizes bytes. By their names in the contract; tests and messages
/// use these, never literals.
namespace svc::limits {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

inline constexpr std::size_t kArtifactTries = 2;
inline constexpr milliseconds kArtifactKeep = 24h * 7;
/// A call of a host entry, start of the worker included, without a timeoutMs.
inline constexpr milliseconds kHostCall = 30s;
inline constexpr milliseconds kHostCallMax{2'147'483'647};
/// What the way to the daemon and back may take beside it.
inline constexpr milliseconds kHostTransport = 6s;
inline constexpr std::size_t kHostInput = 32UL * 1024 * 1024;
/// Results and signals.
inline constexpr std::size_t kHostOutput = 8UL * 1024 * 1024;
/// Calls of one plugin at a time, and the bytes of their inputs together.
inline constexpr std::size_t kHostActive = 256;
inline constexpr std::size_t kHostActiveBytes = 32UL * 1024 * 1024;
inline constexpr milliseconds kWorkerStart = 10s;
inline constexpr milliseconds kCancelGrace = 5s;
inline constexpr milliseconds kWorkerStop = 5s;
inline constexpr milliseconds kWorkerIdle = 5min;
inline constexpr std::size_t kWorkerLogLine = 16UL * 1024;
/// Lines a minute of one worker.
inline constexpr std::size_t kWorkerLogLines = 1000;
inline constexpr milliseconds kDisposeWait = 6s;
/// Retired identities that are remembered for each plugin.
inline constexpr std::size_t kRetired = 32;
/// A message between server, daemon and worker.
inline constexpr std::size_t kIpcMessage = 40UL * 1024 * 1024;
inline constexpr std::size_t kWatchCount = 256;
inline constexpr std::size_t kWatchBatchPaths = 4096;
inline constexpr std::size_t kWatchBatchBytes = 1024UL * 1024;
inline constexpr std::size_t kWatchPath = 16UL * 1024;
inline constexpr std::size_t kWatchIgnored = 4096;
inline constexpr milliseconds kWatchDebounce = 75ms;
inline constexpr milliseconds kWatchDebounceMin = 10ms;
inline constexpr milliseconds kWatchDebounceMax = 5s;
inline constexpr milliseconds kWatchWait = 500ms;
inline constexpr milliseconds kWatchWaitMax = 30s;
inline constexpr milliseconds kEnrollTtl = 15min;
/// Characters.
inline constexpr std::size_t kHostName = 100;
inline constexpr milliseconds kSessionHeartbeat = 5s;
inline constexpr milliseconds kSessionLease = 30s;
inline constexpr milliseconds kSessionRetry = 1s;
inline constexpr milliseconds kSessionRetryMax = 30s;
inline constexpr milliseconds kSessionConnect = 10s;
inline constexpr milliseconds kSessionFirst = 60s;
/// How long a host with a lost socket is not yet disconnected; the longer one while work of somebody runs there.
inline constexpr milliseconds kSessionGrace = 5s;
inline constexpr milliseconds kSessionWorkGrace = 30s;
/// The longest pause between two tries of a daemon that may be waited for: until kSessionWorkGrace is over.
inline constexpr milliseconds kSessionGraceRetry = 5s;
inline constexpr milliseconds kUpdateRetry = 5s;
inline constexpr milliseconds kUpdateRetryMax = 5min;
inline constexpr milliseconds kLocalRestart = 1s;
inline constexpr milliseconds kLocalRestartMax = 60s;
inline constexpr milliseconds kDaemonExit = 15s;

}  // namespace svc::limits
