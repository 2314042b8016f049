#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::hosts {

struct Heartbeat {};

/// The answer to a command: JSON text of its result, or why there is none.
struct CommandAnswer {
  std::string request_id;
  std::string command_type;
  bool ok = false;
  std::string_view result;
  std::string error_code;
  std::string error_message;
  std::string_view error_details;  ///< JSON text of an object, or empty
};

struct HostSignal {
  std::string plugin_id;
  std::string generation;
  std::string name;
  std::string_view payload;  ///< JSON text; empty = undefined
};

struct WorkerExit {
  std::string plugin_id;
  std::string generation;
};

struct WorkerLog {
  struct Line {
    bool is_error_stream = false;
    bool is_error = false;  ///< tells of one: the rest of the stream are warnings
    std::string text;
  };
  std::string plugin_id;
  std::string generation;
  std::vector<Line> lines{};
};

/// For another module of the server.
struct ForwardedMessage {
  std::string_view type;
  std::string_view text;  ///< the whole message
};

using DaemonMessage =
    std::variant<Heartbeat, CommandAnswer, HostSignal, WorkerExit, WorkerLog, ForwardedMessage>;

/// One message of a daemon, strictly: every member of its type and no other. The views point into `text`. Of `result` and
/// `payload` only the ends are checked: who parses them finds out whether they are JSON. The error says what is wrong with the
/// message.
[[nodiscard]] Result<DaemonMessage> parseDaemonMessage(std::string_view text);

}  // namespace svc::hosts
