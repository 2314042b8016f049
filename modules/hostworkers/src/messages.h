#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::hostworkers {

/// A message of a worker. What a type does not have is empty.
struct WorkerMessage {
  enum class Type : std::uint8_t {
    kReady,
    kStartupError,
    kResult,
    kSignal,
    kLeaseAcquire,
    kLeaseRelease,
    kWatchStart,
    kWatchStop,
    kWatchAck,
  };
  Type type{};
  /// Of a call, lease or watch; the name of a signal.
  std::string id;
  bool ok = false;
  /// JSON text: output, payload or options; empty when absent.
  std::string payload;
  std::string code;
  std::string message;
  std::string details;
  std::string plugin_id;
  std::string generation;
  /// protocolVersion or sequence.
  std::int64_t number = 0;
};

/// Strict: an unknown type, or a member that is missing or of another type, is an error.
[[nodiscard]] Result<WorkerMessage> parseWorkerMessage(std::string_view line);

/// The command plugin.host.call.
struct HostCall {
  std::string plugin_id;
  std::string generation;
  std::string digest;
  std::uint64_t bytes = 0;
  std::string call_id;
  std::string method;
  std::string input;  ///< JSON text; empty for undefined
  std::chrono::milliseconds timeout{};
  /// The plugin's limit of the JavaScript heap; 0 when the server did not name one.
  std::int64_t heap_mib = 0;
};

/// The commands plugin.host.cancel, and plugin.host.dispose, which has no call.
struct HostTarget {
  std::string plugin_id;
  std::string generation;
  std::string call_id;
};

/// Errors: `invalid_command` naming the member; `too_large` for an input beyond L:host-input.
[[nodiscard]] Result<HostCall> parseHostCall(std::string_view command);
[[nodiscard]] Result<HostTarget> parseCancel(std::string_view command);
[[nodiscard]] Result<HostTarget> parseDispose(std::string_view command);

[[nodiscard]] std::string callMessage(std::string_view call_id, std::string_view method,
                                      std::string_view input);
/// A message with a `type` and one further string.
[[nodiscard]] std::string simpleMessage(std::string_view type, std::string_view key,
                                        std::string_view value);
[[nodiscard]] std::string disposeMessage();

/// What the server hears: a signal as the worker gave it, and the end of a worker.
[[nodiscard]] std::string signalMessage(std::string_view plugin_id, std::string_view generation,
                                        std::string_view signal, std::string_view payload);
[[nodiscard]] std::string exitedMessage(std::string_view plugin_id, std::string_view generation);

struct LogLine {
  bool error = false;  ///< stderr
  std::string text;
  bool severe = false;  ///< tells of an error
  friend bool operator==(const LogLine&, const LogLine&) = default;
};
[[nodiscard]] std::string logMessage(std::string_view plugin_id, std::string_view generation,
                                     const std::vector<LogLine>& lines);

}  // namespace svc::hostworkers
