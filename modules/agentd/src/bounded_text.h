#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "svc/common/json.h"
#include "svc/common/surrogates.h"

namespace svc::agentd {

using common::utf16Length;

/// A text that grows and keeps its head and its tail when it becomes longer than limits::kAgentItemText. Both end at characters,
/// and with the line between them they are no longer than that.
class BoundedText {
 public:
  BoundedText() = default;
  explicit BoundedText(std::string_view text) { append(text); }

  void append(std::string_view text);

  /// What is kept, with a line between head and tail that says how much is left out.
  [[nodiscard]] std::string text() const;
  /// All of it, in UTF-16 units.
  [[nodiscard]] std::int64_t length() const { return length_; }
  [[nodiscard]] bool isCut() const { return cut_; }
  [[nodiscard]] bool empty() const { return length_ == 0; }
  /// `{ originalLength, retainedHeadLength, retainedTailLength, truncatedAt }`; null for a text that is whole.
  [[nodiscard]] common::Json truncation(std::int64_t now_ms) const;

 private:
  [[nodiscard]] std::string_view keptTail() const;

  std::string head_;
  std::string tail_;
  bool cut_ = false;
  std::int64_t length_ = 0;
};

/// A whole text, cut in the same way.
[[nodiscard]] std::string clipped(std::string_view text);
/// Whether a text is so long that it may be what is left of a longer one.
[[nodiscard]] bool mayBeCut(std::string_view text);
/// Its head of at most so many bytes, and "…" for what is left out.
[[nodiscard]] std::string headOf(std::string_view text, std::size_t most);

}  // namespace svc::agentd
