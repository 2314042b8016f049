#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace svc::common {

// Titles and names: texts of one line that people read among others, in a list, a terminal, a notice.

/// What is wrong with it: "it has the control character U+001B"; nullopt = nothing. Wrong are control characters (C0, with line breaks
/// and tabs, DEL, C1), characters that override the direction of the text around them, and bytes that are no UTF-8.
[[nodiscard]] std::optional<std::string> oddCharacterOf(std::string_view text);

/// Each line break and tab as a blank, and no blanks around it.
[[nodiscard]] std::string onOneLine(std::string_view text);

/// The same for a text that nobody can be asked to change: what is wrong with it is U+FFFD.
[[nodiscard]] std::string shownOnOneLine(std::string_view text);

/// Of UTF-8.
[[nodiscard]] std::size_t countCharacters(std::string_view text);

}  // namespace svc::common
