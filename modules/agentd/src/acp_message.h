#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

namespace svc::agentd {

/// What an agent has said: one JSON-RPC message of ACP.
struct AcpMessage {
  enum class Kind : std::uint8_t { kRequest, kNotification, kAnswer };
  struct Failure {
    std::int64_t code = 0;
    std::string message{};
    common::Json data{};
  };

  Kind kind = Kind::kNotification;
  /// JSON text of the id; empty for notifications.
  std::string id{};
  std::string method{};
  common::Json params{};
  common::Json result{};
  /// Of an answer that is an error.
  std::optional<Failure> failure{};
  /// Of a piece of text that begins or ends inside of a character: the JSON text of it, as it came. `params` has U+FFFD there.
  std::string cut_text{};
};

namespace acp_error {
inline constexpr std::int64_t kAuthRequired = -32000;
inline constexpr std::int64_t kMethodNotFound = -32601;
inline constexpr std::int64_t kInvalidParams = -32602;
}  // namespace acp_error

/// The words of a failure, with the details that agents put beside them; never empty.
[[nodiscard]] std::string failureText(const AcpMessage::Failure& failure);

/// `invalid_argument` for a line that is no message, `overloaded` for one that would take too much to be read. Bytes that are no UTF-8
/// are U+FFFD.
[[nodiscard]] Result<AcpMessage> parseAcpMessage(std::string_view line);

// Lines to an agent, with their ends. `params` and `result` are objects.
[[nodiscard]] std::string acpRequest(std::uint64_t id, std::string_view method,
                                     const common::Json& params);
[[nodiscard]] std::string acpNotification(std::string_view method, const common::Json& params);
/// `id`: JSON text, as it came.
[[nodiscard]] std::string acpResult(const std::string& id, const common::Json& result);
[[nodiscard]] std::string acpFailure(const std::string& id, std::int64_t code,
                                     std::string_view message);

}  // namespace svc::agentd
