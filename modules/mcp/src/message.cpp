#include "message.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json_slices.h"
#include "svc/common/limits/mcp.h"

namespace svc::mcp {
namespace {

using common::JsonSlices;

Refusal invalid(std::string message, std::string id = "null") {
  return {.code = rpc::kInvalidRequest,
          .message = std::move(message),
          .status = 400,
          .id = std::move(id)};
}

bool isInteger(std::string_view json) {
  const auto digits = json.starts_with('-') ? json.substr(1) : json;
  return !digits.empty() &&
         std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// What is wrong with an id; empty = nothing.
std::string idProblem(std::string_view id) {
  if (id.size() > limits::kMcpId) {
    return fmt::format("the id has {} bytes, the limit mcpId is {}", id.size(), limits::kMcpId);
  }
  return id.starts_with('"') || isInteger(id) ? std::string()
                                              : "the id must be a string or an integer";
}

std::variant<Message, Refusal> classify(const JsonSlices& slices) {
  const auto id = slices.raw("id");
  if (!id.empty()) {
    if (auto problem = idProblem(id); !problem.empty()) {
      return invalid(std::move(problem));
    }
  }
  if (slices.text("jsonrpc") != "2.0") {
    return invalid("\"jsonrpc\" must be \"2.0\"", id.empty() ? "null" : std::string(id));
  }
  Message message;
  message.id = id;
  if (slices.raw("method").empty()) {
    message.kind = Message::Kind::kResponse;
    message.result = slices.raw("result");
    message.error = slices.raw("error");
    if (id.empty() || message.result.empty() == message.error.empty()) {
      return invalid("a message has a \"method\", or an \"id\" and a \"result\" or an \"error\"");
    }
    return message;
  }
  message.kind = id.empty() ? Message::Kind::kNotification : Message::Kind::kRequest;
  message.method = slices.text("method");
  if (message.method.empty()) {
    return invalid("\"method\" must be a string", id.empty() ? "null" : std::string(id));
  }
  if (const auto params = slices.raw("params"); !params.empty()) {
    if (!params.starts_with('{')) {
      return Refusal{.code = rpc::kInvalidParams,
                     .message = "\"params\" must be an object",
                     .status = 400,
                     .id = id.empty() ? "null" : std::string(id)};
    }
    message.params = params;
  }
  return message;
}

}  // namespace

std::variant<Message, Refusal> parseMessage(std::string_view body) {
  const auto slices = JsonSlices::parse(body);
  if (slices) {
    return classify(slices.value());
  }
  const auto first = body.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && body[first] == '[') {
    return invalid("a POST carries one message: batches are not supported");
  }
  if (common::isValidJson(body)) {
    return invalid("this is no message: " + slices.error().message);
  }
  return Refusal{.code = rpc::kParseError,
                 .message = "the body is not JSON: " + slices.error().message,
                 .status = 400};
}

std::string resultText(std::string_view id, std::string_view result) {
  std::string text;
  text.reserve(id.size() + result.size() + 40);
  text.append(R"({"jsonrpc":"2.0","id":)").append(id).append(R"(,"result":)").append(result) += '}';
  return text;
}

std::string errorText(const Refusal& refusal) {
  auto text = fmt::format(R"({{"jsonrpc":"2.0","id":{},"error":{{"code":{},"message":{})",
                          refusal.id, refusal.code, common::jsonString(refusal.message));
  if (!refusal.data.empty()) {
    text.append(R"(,"data":)").append(refusal.data);
  }
  return text += "}}";
}

std::string notificationText(std::string_view method, std::string_view params) {
  return fmt::format(R"({{"jsonrpc":"2.0","method":{},"params":{}}})", common::jsonString(method),
                     params);
}

std::string requestText(std::string_view id, std::string_view method, std::string_view params) {
  return fmt::format(R"({{"jsonrpc":"2.0","id":{},"method":{},"params":{}}})", id,
                     common::jsonString(method), params);
}

std::string eventText(std::string message) {
  // A line break ends a field of the stream; in JSON it stands between tokens only.
  std::replace_if(
      message.begin(), message.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return "event: message\ndata: " + std::move(message) + "\n\n";
}

}  // namespace svc::mcp
