#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::common {

/// How many UTF-16 units UTF-8 text has, which is how JavaScript counts.
inline std::int64_t utf16Length(std::string_view text) {
  std::int64_t units = 0;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    units += (byte & 0xC0U) == 0x80U ? 0 : byte >= 0xF0U ? 2 : 1;
  }
  return units;
}

/// The UTF-16 unit of the escape `\uXXXX` that begins at `at`.
inline std::optional<unsigned> escapedUnit(std::string_view text, std::size_t at) {
  constexpr std::size_t kLength = 6;
  if (at + kLength > text.size() || text[at] != '\\' || text[at + 1] != 'u') {
    return std::nullopt;
  }
  unsigned unit = 0;
  const char* const end = text.data() + at + kLength;
  const auto parsed = std::from_chars(text.data() + at + 2, end, unit, 16);
  return parsed.ec == std::errc() && parsed.ptr == end ? std::optional(unit) : std::nullopt;
}

/// JSON in which every escape of half a surrogate pair is one of U+FFFD. JSON.stringify() writes such escapes for texts
/// that were cut inside a pair, and RapidJSON refuses them. Both escapes have the same length, so positions stay.
inline std::string replaceLoneSurrogates(std::string_view text) {
  constexpr std::size_t kLength = 6;
  constexpr std::string_view kReplacement = "\\ufffd";
  const auto is_high = [](std::optional<unsigned> unit) {
    return unit && (*unit & 0xFC00U) == 0xD800U;
  };
  const auto is_low = [](std::optional<unsigned> unit) {
    return unit && (*unit & 0xFC00U) == 0xDC00U;
  };
  std::string out(text);
  for (std::size_t at = out.find('\\'); at != std::string::npos; at = out.find('\\', at)) {
    const auto unit = escapedUnit(out, at);
    if (is_high(unit) && is_low(escapedUnit(out, at + kLength))) {
      at += 2 * kLength;
      continue;
    }
    if (is_high(unit) || is_low(unit)) {
      out.replace(at, kLength, kReplacement);
    }
    at += unit ? kLength : 2;
  }
  return out;
}

}  // namespace svc::common
