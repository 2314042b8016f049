#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "svc/http/http.h"

#include "message.h"

namespace svc::mcp {

/// Revisions that are answered, newest first. Those before kNewest have the handshake of `initialize`.
inline constexpr std::string_view kNewest = "2026-07-28";
inline constexpr std::array<std::string_view, 5> kRevisions{kNewest, "2025-11-25", "2025-06-18",
                                                            "2025-03-26", "2024-11-05"};
/// What an `initialize` with an unknown version is answered with.
inline constexpr std::string_view kNewestHandshake = kRevisions[1];

/// The member of `params` with the name or URI that a method is about; empty for methods without.
[[nodiscard]] std::string_view keyMember(std::string_view method);

/// What is said of a request beside its parameters, most of it in `params._meta`. Values are JSON text, empty when absent.
struct Meta {
  std::optional<std::string> version;  ///< also when it is not a string: then empty
  std::optional<std::string> key{};    ///< the text of keyMember(); absent when it is no string
  std::string capabilities{};
  std::string progress_token{};
  std::string log_level{};
  std::string client_info{};  ///< an object
};

/// A refusal when `_meta`, or the progress token, is of the wrong type.
[[nodiscard]] std::variant<Meta, Refusal> readMeta(const Message& message);

/// Which rules a POST is under: those without a handshake, or those with one.
enum class Era : bool { kHandshake, kModern };

/// Tells the era of a message and applies its rules about versions and headers. Refusals carry the id of the message.
[[nodiscard]] std::variant<Era, Refusal> eraOf(const http::Request& request, const Message& message,
                                               const Meta& meta);

/// `{"supported":[…],"requested":…}`
[[nodiscard]] std::string versionData(std::string_view requested);
/// The version that an `initialize` for this one is answered with.
[[nodiscard]] std::string_view negotiated(std::string_view requested);

/// The parts of every result of the modern era: `resultType` and who answers. `members` of the result follow, without braces.
[[nodiscard]] std::string modernResult(std::string_view type, std::string_view server_info,
                                       std::string_view members);
/// "{…}" → "…"
[[nodiscard]] std::string_view membersOf(std::string_view object);

}  // namespace svc::mcp
