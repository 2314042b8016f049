#pragma once

#include <string_view>

/// What a daemon and its workers say to each other on the inherited socket: JSON lines. The contract describes the members.
namespace svc::hostworkers {

inline constexpr int kWorkerProtocolVersion = 2;
/// The descriptor of the socket in the worker.
inline constexpr int kWorkerSocket = 3;
/// Exit code of a worker whose JavaScript reached the heap limit.
inline constexpr int kHeapLimitExit = 86;
/// Begins a line on stderr that tells of an error: what else is there is a warning. The daemon takes it off.
inline constexpr char kErrorLine = '\x1e';

/// `type` of messages from a worker.
namespace from_worker {
inline constexpr std::string_view kReady = "ready";  ///< protocolVersion, pluginId, generation
inline constexpr std::string_view kStartupError = "startup-error";  ///< error: { message }
inline constexpr std::string_view kResult =
    "result";  ///< callId, ok, output?; or error: { code, message, details? }
inline constexpr std::string_view kSignal = "signal";  ///< signal, payload?
inline constexpr std::string_view kLeaseAcquire = "lease-acquire";
inline constexpr std::string_view kLeaseRelease = "lease-release";
inline constexpr std::string_view kWatchStart = "watch-start";  ///< watchId, options
inline constexpr std::string_view kWatchStop = "watch-stop";
inline constexpr std::string_view kWatchAck = "watch-ack";  ///< watchId, sequence
}  // namespace from_worker

/// `type` of messages to a worker.
namespace to_worker {
inline constexpr std::string_view kCall = "call";  ///< callId, method, input?
inline constexpr std::string_view kCancel = "cancel";
inline constexpr std::string_view kDispose = "dispose";
inline constexpr std::string_view kWatchReady = "watch-ready";
inline constexpr std::string_view kWatchStartError = "watch-start-error";  ///< watchId, message
inline constexpr std::string_view kWatchEvent = "watch-event";  ///< watchId, sequence, event
}  // namespace to_worker

}  // namespace svc::hostworkers
