#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "svc/common/json.h"
#include "svc/storage/terminal_store.h"

namespace svc::terminals {

namespace status {
inline constexpr const char* kStarting = "starting";
inline constexpr const char* kRunning = "running";
inline constexpr const char* kDisconnected = "disconnected";
inline constexpr const char* kExited = "exited";
}  // namespace status

namespace reason {
inline constexpr const char* kUser = "user";
inline constexpr const char* kProcessExit = "process-exit";
inline constexpr const char* kDaemonDisconnect = "daemon-disconnect";
inline constexpr const char* kOpenTimeout = "open-timeout";
inline constexpr const char* kThreadArchived = "thread-archived";
inline constexpr const char* kThreadDeleted = "thread-deleted";
inline constexpr const char* kEnvironmentDestroyed = "environment-destroyed";
}  // namespace reason

/// Every other status may still become `running` or `exited`.
[[nodiscard]] inline bool isEnded(const storage::TerminalRow& row) {
  return row.status == status::kExited;
}

/// The record as clients see it.
[[nodiscard]] common::Json recordOf(const storage::TerminalRow& row);

}  // namespace svc::terminals
