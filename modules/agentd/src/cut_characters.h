#pragma once

#include <string>
#include <string_view>

namespace svc::agentd {

/// Joins the characters of a text that comes in pieces, some of which end inside of one: between the two escapes of a surrogate pair, or
/// between the bytes of UTF-8.
class CutCharacters {
 public:
  /// The text of the next piece, given as JSON text with its quotes, with what the one before has left. What is half a character at its end
  /// waits for the next piece.
  [[nodiscard]] std::string add(std::string_view literal);
  [[nodiscard]] bool waits() const { return !half_.empty(); }
  /// U+FFFD for a half whose other half has not come; else empty.
  [[nodiscard]] std::string end();

 private:
  std::string half_;  ///< as it stands in the JSON text
};

}  // namespace svc::agentd
