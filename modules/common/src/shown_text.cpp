#include "svc/common/shown_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "svc/base/text.h"
#include "svc/common/json.h"
#include "svc/common/utf8.h"

namespace svc::common {
namespace {

constexpr std::string_view kLineBreaks = "\r\n\t";

bool startsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// A character that is obeyed and not shown, of `length` bytes; 0 = there is none at this place.
struct Odd {
  std::size_t length = 0;
  unsigned code = 0;
};

Odd oddAt(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t offset) {
    return at + offset < text.size() ? static_cast<unsigned char>(text[at + offset]) : 0U;
  };
  if (byte(0) < 0x20 || byte(0) == 0x7F) {
    return {1, byte(0)};
  }
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) {
    return {2, byte(1)};
  }
  // U+202A to U+202E and U+2066 to U+2069.
  if (byte(0) == 0xE2 && ((byte(1) == 0x80 && byte(2) >= 0xAA && byte(2) <= 0xAE) ||
                          (byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9))) {
    return {3, 0x2000U + ((byte(1) & 0x3FU) << 6U) + (byte(2) & 0x3FU)};
  }
  return {};
}

}  // namespace

std::optional<std::string> oddCharacterOf(std::string_view text) {
  if (!isUtf8(text)) {
    return "it is no UTF-8";
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (const auto odd = oddAt(text, at); odd.length != 0) {
      return fmt::format("it has the {} character U+{:04X}",
                         odd.code > 0xFF ? "direction" : "control", odd.code);
    }
  }
  return std::nullopt;
}

std::string onOneLine(std::string_view text) {
  std::string out(base::trimmed(text));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return kLineBreaks.find(c) != std::string_view::npos; },
      ' ');
  return out;
}

std::string shownOnOneLine(std::string_view text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  std::string out;
  const auto line = onOneLine(replaceInvalidUtf8(text));
  for (std::size_t at = 0; at < line.size();) {
    const auto odd = oddAt(line, at);
    out.append(odd.length == 0 ? std::string_view(line).substr(at, 1) : kReplacement);
    at += std::max<std::size_t>(odd.length, 1);
  }
  return out;
}

std::size_t countCharacters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), startsCharacter));
}

}  // namespace svc::common
