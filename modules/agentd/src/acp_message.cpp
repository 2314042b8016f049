#include "acp_message.h"

#include <utility>

#include <fmt/format.h>

namespace svc::agentd {

using common::Json;

Result<AcpMessage> parseAcpMessage(std::string_view line) {
  auto parsed = Json::parse(line);
  if (!parsed) {
    return Error{errc::kInvalidArgument, "no JSON: " + parsed.error().message};
  }
  const auto& json = parsed.value();
  const auto* id = json.find("id");
  const bool has_id = id != nullptr && (id->isString() || id->isInteger());
  AcpMessage message;
  message.id = has_id ? id->dump() : std::string();
  if (const auto* method = json.find("method"); method != nullptr && method->isString()) {
    message.kind = has_id ? AcpMessage::Kind::kRequest : AcpMessage::Kind::kNotification;
    message.method = method->asString();
    message.params = json["params"];
    return message;
  }
  const auto* failure = json.find("error");
  const auto* result = json.find("result");
  if (!has_id || (failure == nullptr && result == nullptr)) {
    return Error{errc::kInvalidArgument, "no JSON-RPC message"};
  }
  message.kind = AcpMessage::Kind::kAnswer;
  if (failure != nullptr && !failure->isNull()) {
    message.failure = AcpMessage::Failure{.code = (*failure)["code"].asInteger(),
                                          .message = (*failure)["message"].asString(),
                                          .data = (*failure)["data"]};
  } else if (result != nullptr) {
    message.result = *result;
  }
  return message;
}

std::string failureText(const AcpMessage::Failure& failure) {
  const auto& details =
      failure.data.isString() ? failure.data.asString() : failure.data["details"].asString();
  return details.empty() || details == failure.message
             ? failure.message
             : fmt::format("{}: {}", failure.message, details);
}

std::string acpRequest(std::uint64_t id, std::string_view method, const Json& params) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":{},"params":{}}})"
                     "\n",
                     id, common::jsonString(method), params.dump());
}

std::string acpNotification(std::string_view method, const Json& params) {
  return fmt::format(R"({{"jsonrpc":"2.0","method":{},"params":{}}})"
                     "\n",
                     common::jsonString(method), params.dump());
}

std::string acpResult(const std::string& id, const Json& result) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})"
                     "\n",
                     id, result.dump());
}

std::string acpFailure(const std::string& id, std::int64_t code, std::string_view message) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{}}}}})"
                     "\n",
                     id, code, common::jsonString(message));
}

}  // namespace svc::agentd
