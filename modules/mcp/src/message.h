#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "svc/common/json.h"
#include "svc/kernel/error.h"

namespace svc::mcp {

/// Codes of JSON-RPC and MCP.
namespace rpc {
inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
/// Of revisions before 2026-07-28.
inline constexpr int kResourceNotFound = -32002;
inline constexpr int kHeaderMismatch = -32020;
inline constexpr int kMissingCapability = -32021;
inline constexpr int kUnsupportedVersion = -32022;
}  // namespace rpc

/// A JSON-RPC error and the HTTP status it travels with.
struct Refusal {
  int code = rpc::kInternalError;
  std::string message;
  unsigned status = 200;
  std::string data{};       ///< JSON text, or empty
  std::string id = "null";  ///< JSON text
};

/// What is wrong with the parameters of a request.
[[nodiscard]] inline Refusal badParams(std::string message) {
  return {.code = rpc::kInvalidParams, .message = std::move(message)};
}

/// One JSON-RPC message. Values are JSON text.
struct Message {
  enum class Kind : std::uint8_t { kRequest, kNotification, kResponse };

  Kind kind = Kind::kRequest;
  std::string id{};  ///< a string or an integer; empty for notifications
  std::string method{};
  std::string params = "{}";  ///< an object
  std::string result{};       ///< of responses; empty when there is none
  std::string error{};
};

/// One message, checked whole; batches are refused.
[[nodiscard]] std::variant<Message, Refusal> parseMessage(std::string_view body);

/// `{"jsonrpc":"2.0","id":…,"result":…}`
[[nodiscard]] std::string resultText(std::string_view id, std::string_view result);
[[nodiscard]] std::string errorText(const Refusal& refusal);
/// `params` is an object as JSON text.
[[nodiscard]] std::string notificationText(std::string_view method, std::string_view params);
[[nodiscard]] std::string requestText(std::string_view id, std::string_view method,
                                      std::string_view params);
/// One message of an event stream.
[[nodiscard]] std::string eventText(std::string message);

}  // namespace svc::mcp
