#pragma once

#include <chrono>
#include <string>
#include <variant>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/serverlink/server_link.h"

#include "transport.h"

namespace svc::serverlink {

struct HeartbeatAck {};
struct CommandRequest {
  std::string request_id;
  std::string type;     ///< of the command
  std::string command;  ///< JSON text of an object
};
struct SessionClose {
  std::string reason;
};
/// For another module of the daemon.
struct ForwardedMessage {
  std::string type;
  std::string text;
};
/// Understood, and nothing to do.
struct Accepted {};

using ServerMessage =
    std::variant<HeartbeatAck, CommandRequest, SessionClose, ForwardedMessage, Accepted>;

/// `invalid_argument` for everything the protocol does not have.
[[nodiscard]] Result<ServerMessage> parseServerMessage(std::string_view text);

/// What the server says when a session opens.
struct OpenedSession {
  std::string session_id;
  std::chrono::milliseconds heartbeat{};
  std::chrono::milliseconds lease{};
  std::vector<PluginGeneration> generations;
};
/// `invalid_argument` when the body of the 201 lacks something.
[[nodiscard]] Result<OpenedSession> parseOpenedSession(std::string_view body);

/// The error of an answer that is not a success: its code by name, message and details.
struct Refusal {
  unsigned status = 0;
  std::string code;
  std::string message;
  std::string details;  ///< JSON text of an object, or empty
};
[[nodiscard]] Refusal parseRefusal(const HttpAnswer& answer);
/// Its message, and what to do about a 401 that is not the server's, whose refusals have a code.
[[nodiscard]] std::string reasonOf(const Refusal& refusal);

/// host-rpc.response, as text. A result that is not small enough for a message becomes `too_large`.
[[nodiscard]] std::string responseMessage(const std::string& request_id,
                                          const std::string& command_type,
                                          const Result<std::string>& result);

}  // namespace svc::serverlink
