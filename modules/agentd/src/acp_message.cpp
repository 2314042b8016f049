#include "acp_message.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/json_slices.h"
#include "svc/common/utf8.h"

#include "agent_bounds.h"

namespace svc::agentd {

using common::Json;

namespace {

/// How many values a line has, roughly: what opens and separates them, outside of texts.
bool hasTooManyValues(std::string_view line) {
  // Each takes two bytes at least.
  if (line.size() < 2 * limits::kAgentLineValues) {
    return false;
  }
  std::size_t values = 0;
  bool in_text = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char byte = line[at];
    if (byte == '"') {
      in_text = !in_text;
    } else if (in_text) {
      at += byte == '\\' ? 1 : 0;
    } else if (byte == ',' || byte == '[' || byte == '{') {
      ++values;
    }
  }
  return values > limits::kAgentLineValues;
}

AcpMessage::Failure failureOf(const Json& said) {
  if (said.isString()) {
    return {.message = said.asString()};
  }
  return {.code = said["code"].asInteger(),
          .message = said["message"].asString(),
          .data = said["data"]};
}

/// A message says what it says, also when a text of it is cut in the middle of a character.
Result<Json> parseLine(std::string_view line) {
  auto parsed = Json::parse(line);
  return parsed ? std::move(parsed) : Json::parse(common::replaceInvalidUtf8(line));
}

/// The text of a session/update with a piece of one, as it stands in the line, when a half of a character may have been replaced in it.
std::string cutTextOf(std::string_view line, const Json& params) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  const auto& content = params["update"]["content"];
  const std::string_view text = content["text"].asString();
  if (content["type"].asString() != "text" ||
      !(text.starts_with(kReplacement) || text.ends_with(kReplacement) || !common::isUtf8(text))) {
    return {};
  }
  auto raw = line;
  for (const auto* const member : {"params", "update", "content", "text"}) {
    const auto object = common::JsonSlices::skim(raw);
    raw = object ? object.value().raw(member) : std::string_view();
  }
  return raw.starts_with('"') ? std::string(raw) : std::string();
}

}  // namespace

Result<AcpMessage> parseAcpMessage(std::string_view line) {
  if (hasTooManyValues(line)) {
    return Error{errc::kOverloaded,
                 fmt::format("a message of more than {} values (limit agentLineValues)",
                             limits::kAgentLineValues)};
  }
  auto parsed = parseLine(line);
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
    message.cut_text = cutTextOf(line, message.params);
    return message;
  }
  const auto* failure = json.find("error");
  const auto* result = json.find("result");
  if (!has_id || (failure == nullptr && result == nullptr)) {
    return Error{errc::kInvalidArgument, "no JSON-RPC message"};
  }
  message.kind = AcpMessage::Kind::kAnswer;
  if (failure != nullptr && !failure->isNull()) {
    message.failure = failureOf(*failure);
  } else if (result != nullptr) {
    message.result = *result;
  }
  return message;
}

std::string failureText(const AcpMessage::Failure& failure) {
  const auto& details =
      failure.data.isString() ? failure.data.asString() : failure.data["details"].asString();
  if (failure.message.empty() && details.empty()) {
    return fmt::format("the agent says no more than that it failed (error {})", failure.code);
  }
  if (failure.message.empty() || details.empty() || details == failure.message) {
    return failure.message.empty() ? details : failure.message;
  }
  return fmt::format("{}: {}", failure.message, details);
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
