#include "text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <numeric>
#include <vector>

#include <fmt/format.h>

namespace svc::client {
namespace {

bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Bytes of the control character at `at`: C0, DEL, or C1 (C2 80 … C2 9F in UTF-8, a terminal obeys those too).
/// 0 when there is none.
std::size_t controlLength(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20 || byte == 0x7F) {
    return 1;
  }
  if (byte == 0xC2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xA0) {
    return 2;
  }
  // A lone C1 byte: terminals in an 8-bit mode obey it, and it is not valid UTF-8 anyway.
  if (byte >= 0x80 && byte < 0xA0 &&
      (at == 0 || (static_cast<unsigned char>(text[at - 1]) & 0x80U) == 0)) {
    return 1;
  }
  return 0;
}

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 0;  ///< in bytes
};

/// The character of three or four bytes at `at`; 0 when there is none.
CodePoint longCharacter(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 0;
  if (length == 0 || at + length > text.size()) {
    return {};
  }
  std::uint32_t value = first & (length == 4 ? 0x07U : 0x0FU);
  for (std::size_t i = 1; i < length; ++i) {
    value = (value << 6U) | (static_cast<unsigned char>(text[at + i]) & 0x3FU);
  }
  return {value, length};
}

/// Characters that turn the direction of what is around them, break its line, or are not seen: text with them reads as something else than
/// it is. The joiners (U+200C, U+200D) and the marks U+200E and U+200F are none: languages and emoji need them.
bool isDisguise(std::uint32_t code) {
  struct Range {
    std::uint32_t first;
    std::uint32_t last;
  };
  constexpr std::array kRanges{
      Range{0x180E, 0x180E}, Range{0x200B, 0x200B}, Range{0x2028, 0x202E},   Range{0x2060, 0x206F},
      Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB}, Range{0xE0000, 0xE007F},
  };
  return std::any_of(kRanges.begin(), kRanges.end(), [code](const Range& range) {
    return code >= range.first && code <= range.last;
  });
}

std::string strip(std::string_view text, bool keep_layout) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\n' || c == '\t') {
      result.push_back(keep_layout ? c : ' ');
      ++at;
      continue;
    }
    if (const auto length = controlLength(text, at); length != 0) {
      at += length;
    } else if (const auto wide = longCharacter(text, at); isDisguise(wide.value)) {
      result += fmt::format("\\u{{{:X}}}", wide.value);
      at += wide.length;
    } else {
      result.push_back(c);
      ++at;
    }
  }
  return result;
}

/// As JSON has it, in one escape or two.
std::string escaped(std::uint32_t code) {
  if (code < 0x10000) {
    return fmt::format("\\u{:04x}", code);
  }
  code -= 0x10000;
  return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (code >> 10U), 0xDC00 + (code & 0x3FFU));
}

/// Insertions, deletions, substitutions and swaps of neighbours that turn one into the other.
std::size_t editDistance(std::string_view left, std::string_view right) {
  std::vector<std::vector<std::size_t>> cost(left.size() + 1,
                                             std::vector<std::size_t>(right.size() + 1));
  std::iota(cost[0].begin(), cost[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= left.size(); ++i) {
    cost[i][0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t differs = left[i - 1] == right[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + differs});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[left.size()][right.size()];
}

}  // namespace

std::string oneLine(std::string_view untrusted) { return strip(untrusted, false); }
std::string firstLine(std::string_view untrusted) {
  constexpr std::size_t kMost = 400;
  auto line = oneLine(untrusted.substr(0, untrusted.find('\n')));
  if (line.size() > kMost) {
    auto end = kMost;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0U) == 0x80U) {
      --end;
    }
    line.resize(end);
    line += "…";
  }
  return line;
}
std::string manyLines(std::string_view untrusted) { return strip(untrusted, true); }

std::string jsonLine(std::string_view json) {
  std::string result;
  result.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const auto wide = longCharacter(json, at);
    if (isDisguise(wide.value)) {
      result += escaped(wide.value);
      at += wide.length;
    } else if (const auto length = controlLength(json, at); length != 0) {
      result += escaped(static_cast<unsigned char>(json[at + length - 1]));
      at += length;
    } else {
      result.push_back(json[at++]);
    }
  }
  return result;
}

std::size_t displayWidth(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !isContinuation(c); }));
}

std::optional<std::string> nearestName(std::string_view typed,
                                       std::span<const std::string> candidates) {
  // A third of the letters may differ; more is a guess, not a suggestion.
  const std::size_t allowed = std::max<std::size_t>(1, (typed.size() + 1) / 3);
  std::optional<std::string> best;
  std::size_t best_distance = allowed + 1;
  for (const auto& candidate : candidates) {
    const auto distance = editDistance(typed, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

std::string percentEncode(std::string_view text) {
  constexpr std::string_view kUnreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string result;
  for (const char c : text) {
    if (kUnreserved.find(c) != std::string_view::npos) {
      result.push_back(c);
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

std::string formatDuration(double milliseconds) {
  if (milliseconds < 10) {
    auto text = fmt::format("{:.1f}", milliseconds);
    if (text.ends_with(".0")) {
      text.resize(text.size() - 2);
    }
    return text + " ms";
  }
  if (milliseconds < 999.5) {
    return fmt::format("{:.0f} ms", milliseconds);
  }
  if (milliseconds < 60'000) {
    return fmt::format("{:.1f} s", milliseconds / 1000);
  }
  const auto seconds = std::llround(milliseconds / 1000);
  return fmt::format("{} min {} s", seconds / 60, seconds % 60);
}

std::string formatTime(long long epoch_ms, TimePrecision precision) {
  const time_t seconds = epoch_ms / 1000;
  tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) {
    return std::to_string(epoch_ms);
  }
  auto text =
      fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", parts.tm_year + 1900, parts.tm_mon + 1,
                  parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
  if (precision == TimePrecision::kMilliseconds) {
    text += fmt::format(".{:03}", epoch_ms % 1000);
  }
  return text + "Z";
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string result;
  std::size_t used = indent;
  for (std::size_t start = 0; start < text.size();) {
    const auto end = std::min(text.find(' ', start), text.size());
    const auto word = text.substr(start, end - start);
    start = end + 1;
    if (word.empty()) {
      continue;
    }
    const auto width = displayWidth(word);
    if (result.empty()) {
      used += width;
    } else if (used + 1 + width <= columns) {
      result += ' ';
      used += 1 + width;
    } else {
      result += "\n" + std::string(indent, ' ');
      used = indent + width;
    }
    result += word;
  }
  return result;
}

std::string relativeTime(long long epoch_ms, long long now_ms) {
  constexpr long long kSecond = 1000;
  constexpr long long kMinute = 60 * kSecond;
  constexpr long long kHour = 60 * kMinute;
  constexpr long long kDay = 24 * kHour;
  const auto distance = epoch_ms > now_ms ? epoch_ms - now_ms : now_ms - epoch_ms;
  if (distance < kSecond) {
    return "just now";
  }
  constexpr long long kTimesUntilNextUnit = 2;
  const auto in_words = [&](long long unit, std::string_view name) {
    const auto count = fmt::format("{} {}", distance / unit, name);
    return epoch_ms > now_ms ? "in " + count : count + " ago";
  };
  if (distance < kTimesUntilNextUnit * kMinute) {
    return in_words(kSecond, "s");
  }
  if (distance < kTimesUntilNextUnit * kHour) {
    return in_words(kMinute, "min");
  }
  if (distance < kTimesUntilNextUnit * kDay) {
    return in_words(kHour, "h");
  }
  constexpr long long kMonth = 30 * kDay;
  if (distance < kMonth) {
    return in_words(kDay, "days");
  }
  constexpr std::size_t kDateLength = 10;
  return formatTime(epoch_ms).substr(0, kDateLength);
}

}  // namespace svc::client
