#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace svc::base {

/// Spaces, tabs and line breaks.
inline constexpr std::string_view kWhitespace = " \t\r\n";

/// ASCII lower case; other bytes stay.
[[nodiscard]] constexpr char toLowerAscii(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

[[nodiscard]] inline std::string lowerAscii(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), toLowerAscii);
  return lower;
}

[[nodiscard]] constexpr bool equalsIgnoreCase(std::string_view left, std::string_view right) {
  return left.size() == right.size() &&
         std::equal(left.begin(), left.end(), right.begin(),
                    [](char a, char b) { return toLowerAscii(a) == toLowerAscii(b); });
}

/// Without any of `dropped` at its ends.
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text,
                                                 std::string_view dropped = kWhitespace) {
  const auto first = text.find_first_not_of(dropped);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(dropped) - first + 1);
}

}  // namespace svc::base
