#include "server_messages.h"

#include <algorithm>
#include <initializer_list>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/json_slices.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/agents.h"
#include "svc/hostprotocol/protocol.h"

namespace svc::serverlink {
namespace {

using common::Json;
using common::JsonSlices;
using std::chrono::milliseconds;

// Whatever a server says, a daemon neither floods it nor goes silent.
constexpr milliseconds kHeartbeatMin{100};
constexpr milliseconds kHeartbeatMax{600'000};

/// Of T2; there is nothing to share yet.
constexpr std::string_view kConnectShares = "connect-shares.replace";

Error notUnderstood(std::string_view what) {
  return Error{errc::kInvalidArgument, fmt::format("the server sent {}", what)};
}

bool hasOnly(const JsonSlices& message, std::initializer_list<std::string_view> known) {
  return message.members().size() == known.size() &&
         std::all_of(known.begin(), known.end(),
                     [&message](std::string_view key) { return !message.raw(key).empty(); });
}

/// Empty when it has none. The text is JSON; where the type comes first, as servers write it, inputs of many megabytes behind it
/// are not read once more.
std::string typeOf(std::string_view command) {
  constexpr std::string_view kFirst = R"({"type":")";
  if (command.starts_with(kFirst)) {
    const auto type =
        command.substr(kFirst.size(), command.find('"', kFirst.size()) - kFirst.size());
    if (type.find('\\') == std::string_view::npos) {
      return std::string(type);
    }
  }
  const auto members = JsonSlices::skim(command);
  return members ? members.value().text("type") : std::string{};
}

Result<ServerMessage> parseRequest(const JsonSlices& message) {
  const auto command_text = message.raw("command");
  auto request_id = message.text("requestId");
  if (!hasOnly(message, {"type", "requestId", "command"}) || request_id.empty()) {
    return notUnderstood("a request without requestId and command");
  }
  auto type = typeOf(command_text);
  if (type.empty()) {
    return notUnderstood("a command without type");
  }
  // The input of a host entry is passed on as it is: who parses it is the entry.
  if (type != hostprotocol::command::kCall && !common::isValidJson(command_text)) {
    return notUnderstood(
        fmt::format("a command \"{}\" that is not JSON", type.substr(0, limits::kHostName)));
  }
  return ServerMessage(
      CommandRequest{std::move(request_id), std::move(type), std::string(command_text)});
}

bool isForwarded(std::string_view type, const JsonSlices& message) {
  using namespace hostprotocol::to_daemon;
  return (type == kTerminalInput && hasOnly(message, {"type", "terminalId", "dataBase64"})) ||
         (type == kTerminalResize && hasOnly(message, {"type", "terminalId", "cols", "rows"})) ||
         (type == kTerminalAck && hasOnly(message, {"type", "terminalId", "seq", "ended"})) ||
         (type == kAgentAck && hasOnly(message, {"type", "sessionId", "seq"}));
}

milliseconds clamped(const Json& value) {
  return std::clamp(milliseconds(value.asInteger()), kHeartbeatMin, kHeartbeatMax);
}

}  // namespace

Result<ServerMessage> parseServerMessage(std::string_view text) {
  const auto message = JsonSlices::skim(text);
  if (!message) {
    return notUnderstood("what is not a JSON object: " + message.error().message);
  }
  const auto type = message.value().text("type");
  if (type == hostprotocol::to_daemon::kRequest) {
    return parseRequest(message.value());
  }
  if (!common::isValidJson(text)) {
    return notUnderstood("what is not JSON");
  }
  if (type == hostprotocol::to_daemon::kHeartbeatAck && hasOnly(message.value(), {"type"})) {
    return ServerMessage(HeartbeatAck{});
  }
  if (type == hostprotocol::to_daemon::kSessionClose &&
      hasOnly(message.value(), {"type", "reason"})) {
    auto reason = message.value().text("reason");
    for (const auto known :
         {hostprotocol::close_reason::kReplaced, hostprotocol::close_reason::kExpired,
          hostprotocol::close_reason::kRemoved, hostprotocol::close_reason::kShutdown}) {
      if (reason == known) {
        return ServerMessage(SessionClose{std::move(reason)});
      }
    }
  }
  if (isForwarded(type, message.value())) {
    return ServerMessage(ForwardedMessage{type, std::string(text)});
  }
  if (type == hostprotocol::to_daemon::kWatchSet || type == kConnectShares) {
    return ServerMessage(Accepted{});
  }
  return notUnderstood(fmt::format("a message that this daemon does not know (type \"{}\")",
                                   type.substr(0, limits::kHostName)));
}

Result<OpenedSession> parseOpenedSession(std::string_view body) {
  const auto parsed = Json::parse(body);
  if (!parsed) {
    return notUnderstood("an answer that is not JSON");
  }
  const auto& json = parsed.value();
  OpenedSession session;
  session.session_id = json["sessionId"].asString();
  if (session.session_id.empty() || !json["heartbeatIntervalMs"].isInteger() ||
      !json["leaseTimeoutMs"].isInteger() || !json["pluginHostGenerations"].isArray()) {
    return notUnderstood("an answer without session");
  }
  session.heartbeat = clamped(json["heartbeatIntervalMs"]);
  session.lease = std::max(clamped(json["leaseTimeoutMs"]), 2 * session.heartbeat);
  for (const auto& each : json["pluginHostGenerations"].items()) {
    PluginGeneration generation{each["pluginId"].asString(), each["generation"].asString()};
    if (generation.plugin_id.empty() || generation.generation.empty()) {
      return notUnderstood("a plugin without id or generation");
    }
    session.generations.push_back(std::move(generation));
  }
  return session;
}

Refusal parseRefusal(const HttpAnswer& answer) {
  Refusal refusal{answer.status, {}, {}, {}};
  if (const auto parsed = Json::parse(answer.body)) {
    const auto& error = parsed.value()["error"];
    refusal.code = error["code"].asString();
    refusal.message = error["message"].asString();
    if (error["details"].isObject()) {
      refusal.details = error["details"].dump();
    }
  }
  if (refusal.message.empty()) {
    refusal.message = fmt::format("it answered with status {}", answer.status);
  }
  return refusal;
}

std::string reasonOf(const Refusal& refusal) {
  constexpr unsigned kUnauthorizedStatus = 401;
  return refusal.status == kUnauthorizedStatus && refusal.code.empty()
             ? refusal.message +
                   "; a proxy that asks for a password has to let /internal/ through, where "
                   "machines have keys of their own"
             : refusal.message;
}

std::string responseMessage(const std::string& request_id, const std::string& command_type,
                            const Result<std::string>& result) {
  std::string out;
  out.reserve(request_id.size() + command_type.size() + (result ? result.value().size() : 0) + 128);
  out += R"({"type":"host-rpc.response","requestId":)";
  common::appendJsonString(out, request_id);
  out += R"(,"commandType":)";
  common::appendJsonString(out, command_type);
  if (!result) {
    const auto& error = result.error();
    out += R"(,"ok":false,"errorCode":)";
    common::appendJsonString(out, error.code.name());
    out += R"(,"errorMessage":)";
    common::appendJsonString(out, error.message);
    if (!error.details.empty()) {
      out += R"(,"errorDetails":)" + error.details;
    }
    out += '}';
    return out;
  }
  out += R"(,"ok":true,"result":)";
  if (out.size() + result.value().size() + 1 > limits::kIpcMessage) {
    return responseMessage(
        request_id, command_type,
        Error{errc::kTooLarge, fmt::format("the result has {} bytes; a message has at most {}",
                                           result.value().size(), limits::kIpcMessage)});
  }
  out += result.value();
  out += '}';
  return out;
}

}  // namespace svc::serverlink
