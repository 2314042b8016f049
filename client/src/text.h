#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace svc::client {

/// Text from a server, a plugin or an agent made safe for a terminal: control characters (escape sequences included) are dropped,
/// line breaks and tabs become spaces. What changes how the text around it looks, or has no look of its own, is shown as "\u{202E}".
[[nodiscard]] std::string oneLine(std::string_view untrusted);
/// The first line alone, as oneLine(): of a failure with the source lines it is about, what it says. More than 400 bytes of it are cut,
/// which "…" shows.
[[nodiscard]] std::string firstLine(std::string_view untrusted);
/// As oneLine(), but line breaks and tabs stay.
[[nodiscard]] std::string manyLines(std::string_view untrusted);

/// JSON as one line in which oneLine() would find nothing: what it shows or drops is an escape ("\u202e"), so the value stays the same.
[[nodiscard]] std::string jsonLine(std::string_view json);

/// Columns the text takes on a terminal, taking every code point as one column.
[[nodiscard]] std::size_t displayWidth(std::string_view text);

/// The text in lines of so many columns, broken at blanks; all but the first are indented. A word that is longer stays whole, so that it can
/// be copied.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

/// The candidate a person most likely meant, when one is close enough to suggest.
[[nodiscard]] std::optional<std::string> nearestName(std::string_view typed,
                                                     std::span<const std::string> candidates);

void replaceAll(std::string& text, std::string_view from, std::string_view to);

/// One path segment or query value of a URL.
[[nodiscard]] std::string percentEncode(std::string_view text);

/// "0 ms", "1.5 ms", "320 ms", "12.4 s", "3 min 20 s".
[[nodiscard]] std::string formatDuration(double milliseconds);
/// "2025-01-31T12:00:00Z" in UTC; with milliseconds when asked for.
enum class TimePrecision { kSeconds, kMilliseconds };
[[nodiscard]] std::string formatTime(long long epoch_ms,
                                     TimePrecision precision = TimePrecision::kSeconds);

/// For people: "in 20 h", "5 min ago", "just now"; beyond a month the day.
[[nodiscard]] std::string relativeTime(long long epoch_ms, long long now_ms);

}  // namespace svc::client
