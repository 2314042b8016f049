#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "svc/base/text.h"

namespace svc::http {

using base::toLowerAscii;
/// As header names, host names and media types compare.
using base::equalsIgnoreCase;

/// Without spaces and tabs around it.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  return base::trimmed(text, " \t");
}

/// Whether `item` is one of "a, b, c".
[[nodiscard]] constexpr bool listsItem(std::string_view list, std::string_view item) {
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    if (trimmed(list.substr(0, comma)) == item) {
      return true;
    }
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

/// The value of one hexadecimal digit, or -1.
[[nodiscard]] constexpr int hexDigit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = toLowerAscii(c);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/// A close frame of a WebSocket has room for so many bytes of reason.
inline constexpr std::size_t kCloseReason = 123;

/// As much of UTF-8 text as fits, without a part of a character at the end.
[[nodiscard]] constexpr std::string_view cutUtf8(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) {
    return text;
  }
  // Bytes that continue a character are 10xxxxxx.
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) {
    --bytes;
  }
  return text.substr(0, bytes);
}

enum class PlusSign : bool { kPlus, kSpace };

/// Decodes %XX; nullopt when an escape is malformed.
[[nodiscard]] inline std::optional<std::string> percentDecode(std::string_view text,
                                                              PlusSign plus = PlusSign::kPlus) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      if (i + 2 >= text.size() || hexDigit(text[i + 1]) < 0 || hexDigit(text[i + 2]) < 0) {
        return std::nullopt;
      }
      decoded.push_back(static_cast<char>(hexDigit(text[i + 1]) * 16 + hexDigit(text[i + 2])));
      i += 2;
    } else {
      decoded.push_back(plus == PlusSign::kSpace && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return decoded;
}

/// The first value of `name` in "a=1&b=2", decoded. A malformed escape makes the value read as it was sent.
[[nodiscard]] inline std::optional<std::string> findQueryParameter(std::string_view query,
                                                                   std::string_view name) {
  for (std::size_t start = 0; start < query.size();) {
    const auto end = std::min(query.find('&', start), query.size());
    const auto pair = query.substr(start, end - start);
    start = end + 1;
    const auto equals = std::min(pair.find('='), pair.size());
    const auto key = pair.substr(0, equals);
    const auto value = pair.substr(std::min(equals + 1, pair.size()));
    if (key == name || percentDecode(key, PlusSign::kSpace) == name) {
      return percentDecode(value, PlusSign::kSpace).value_or(std::string(value));
    }
  }
  return std::nullopt;
}

}  // namespace svc::http
