#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::plugins {

/// One line of a plugin's log before it has its number.
struct LogEntry {
  std::int64_t at = 0;
  std::string level;  ///< debug, info, warn, error
  std::uint64_t generation = 0;
  std::string source = "server";
  std::string message{};
  std::string stack{};
};

/// debug 0 … error 3; an unknown name counts as info.
[[nodiscard]] int levelRank(std::string_view level);

/// The message, cut at lim.logLine on a character boundary and marked with both sizes.
[[nodiscard]] std::string cutMessage(std::string message);

/// The same for the text beside the status of a plugin, at lim.statusText.
[[nodiscard]] std::string cutStatus(std::string text);

/// One JSON line, newline included.
[[nodiscard]] std::string formatLine(std::uint64_t seq, const LogEntry& entry);

struct LineHead {
  std::uint64_t seq = 0;
  std::string_view level;
};
/// Reads the fixed head of a stored line; nullopt for anything formatLine() did not write whole.
[[nodiscard]] std::optional<LineHead> parseHead(std::string_view line);

}  // namespace svc::plugins
