#pragma once

#include <string_view>

/// What server and daemons say to each other, by name. Both sides build and read the messages; the contract describes their
/// members.
namespace svc::hostprotocol {

/// One integer for the whole protocol; both sides must have the same.
inline constexpr int kProtocolVersion = 1;
/// Subprotocol of the session's WebSocket.
inline constexpr std::string_view kSubprotocol = "svc-host-daemon.v1";

inline constexpr std::string_view kHostKeyPrefix = "svch_";
/// Join codes and local enroll keys.
inline constexpr std::string_view kEnrollKeyPrefix = "svce_";

/// `type` of messages from the server.
namespace to_daemon {
inline constexpr std::string_view kHeartbeatAck = "heartbeat-ack";
inline constexpr std::string_view kRequest = "host-rpc.request";    ///< requestId, command
inline constexpr std::string_view kSessionClose = "session-close";  ///< reason
inline constexpr std::string_view kWatchSet =
    "watch-set.replace";  ///< accepted, nothing to watch yet
/// generation, ports; accepted, nothing is shared yet
inline constexpr std::string_view kConnectShares = "connect-shares.replace";
}  // namespace to_daemon

/// `type` of messages from a daemon.
namespace to_server {
inline constexpr std::string_view kHeartbeat = "heartbeat";
/// requestId, commandType, ok, result; or ok false, errorCode, errorMessage, errorDetails? (an object)
inline constexpr std::string_view kResponse = "host-rpc.response";
inline constexpr std::string_view kSignal =
    "plugin-host.signal";  ///< pluginId, generation, signal, payload
/// pluginId, generation; only exits that nobody asked for
inline constexpr std::string_view kWorkerExited = "plugin-host.worker-exited";
/// pluginId, generation, lines: { stream: "stdout" | "stderr", text }[]
inline constexpr std::string_view kLog = "plugin-host.log";
}  // namespace to_server

/// `type` of a command, a member of the command object beside its payload.
namespace command {
inline constexpr std::string_view kCall = "plugin.host.call";
inline constexpr std::string_view kCancel = "plugin.host.cancel";
inline constexpr std::string_view kDispose = "plugin.host.dispose";
/// { path? } → { directory, parent | null, entries: { name, path, kind }[] }
inline constexpr std::string_view kDirectory = "host.directory";
/// { paths } → { existence: { [path]: boolean } }
inline constexpr std::string_view kPathsExist = "host.paths-exist";
}  // namespace command

/// `reason` of session-close.
namespace close_reason {
inline constexpr std::string_view kReplaced = "replaced";  ///< the daemon stops
inline constexpr std::string_view kExpired = "expired";    ///< it reconnects, as on shutdown
inline constexpr std::string_view kRemoved = "removed";    ///< it forgets its credential and stops
inline constexpr std::string_view kShutdown = "shutdown";
}  // namespace close_reason

}  // namespace svc::hostprotocol
