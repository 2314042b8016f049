#include "header_rules.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

namespace svc::mcp {
namespace {

Refusal mismatch(std::string message) {
  return {.code = rpc::kHeaderMismatch, .message = std::move(message), .status = 400};
}

/// Strict: the alphabet of RFC 4648 with padding.
std::optional<std::string> decodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return std::nullopt;
  }
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto padding = text.ends_with("==") ? 2U : text.ends_with('=') ? 1U : 0U;
  text.remove_suffix(padding);
  std::string decoded;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const auto digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      decoded.push_back(static_cast<char>((bits >> count) & 0xFFU));
    }
  }
  return decoded;
}

/// Whoever stands between could read another of them than this server does.
bool isRepeated(const http::Request& request, std::string_view name) {
  return std::count_if(request.headers.begin(), request.headers.end(),
                       [name](const http::Header& header) {
                         return http::equalsIgnoreCase(header.name, name);
                       }) > 1;
}

/// The header must be there once and say this.
std::optional<Refusal> differs(const http::Request& request, std::string_view name,
                               std::string_view expected, std::string_view what) {
  const auto* const sent = request.header(name);
  if (sent == nullptr) {
    return mismatch(fmt::format("the header {} is missing; {} is \"{}\"", name, what, expected));
  }
  if (isRepeated(request, name)) {
    return mismatch(fmt::format("the header {} is there more than once", name));
  }
  const auto value = headerValue(*sent);
  if (!value) {
    return mismatch(fmt::format("the header {} is not valid Base64: \"{}\"", name, *sent));
  }
  if (*value != expected) {
    return mismatch(
        fmt::format("the header {} says \"{}\", {} is \"{}\"", name, *value, what, expected));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> headerValue(std::string_view value) {
  constexpr std::string_view kStart = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  value = http::trimmed(value);
  if (value.size() < kStart.size() + kEnd.size() || !value.starts_with(kStart) ||
      !value.ends_with(kEnd)) {
    return std::string(value);
  }
  value.remove_prefix(kStart.size());
  value.remove_suffix(kEnd.size());
  return decodeBase64(value);
}

std::optional<Refusal> headerMismatch(const http::Request& request, const Message& message,
                                      const Meta& meta) {
  if (meta.version && !meta.version->empty()) {
    if (auto refusal =
            differs(request, "MCP-Protocol-Version", *meta.version, "the version in _meta")) {
      return refusal;
    }
  }
  if (auto refusal = differs(request, "Mcp-Method", message.method, "the method")) {
    return refusal;
  }
  if (!meta.key) {
    return std::nullopt;  // the method says what is wrong with its parameters
  }
  return differs(request, "Mcp-Name", *meta.key, fmt::format("\"{}\"", keyMember(message.method)));
}

}  // namespace svc::mcp
