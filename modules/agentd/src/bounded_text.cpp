#include "bounded_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "svc/hostprotocol/agent_limits.h"

namespace svc::agentd {
namespace {

/// Room for the line that says how much is left out.
constexpr std::size_t kNote = 64;
constexpr std::size_t kHalf = (limits::kAgentItemText - kNote) / 2;
/// What a character that is left out whole takes of a half.
constexpr std::size_t kMostOfCharacter = 3;

bool continues(char byte) {
  constexpr unsigned kMask = 0xC0;
  constexpr unsigned kContinuation = 0x80;
  return (static_cast<unsigned char>(byte) & kMask) == kContinuation;
}

std::size_t endOfHead(std::string_view text, std::size_t most) {
  auto end = std::min(most, text.size());
  while (end > 0 && end < text.size() && continues(text[end])) {
    --end;
  }
  return end;
}

}  // namespace

void BoundedText::append(std::string_view text) {
  length_ += utf16Length(text);
  if (!cut_) {
    head_ += text;
    if (head_.size() <= limits::kAgentItemText) {
      return;
    }
    cut_ = true;
    const auto end = endOfHead(head_, kHalf);
    tail_ = head_.substr(end);
    head_.resize(end);
  } else {
    tail_ += text;
  }
  // Seldom, so that a character costs no move of all that is kept.
  if (tail_.size() > 2 * kHalf) {
    tail_ = std::string(keptTail());
  }
}

std::string_view BoundedText::keptTail() const {
  std::string_view tail(tail_);
  tail.remove_prefix(tail.size() - std::min(tail.size(), kHalf));
  while (!tail.empty() && continues(tail.front())) {
    tail.remove_prefix(1);
  }
  return tail;
}

std::string BoundedText::text() const {
  if (!cut_) {
    return head_;
  }
  const auto tail = keptTail();
  return fmt::format("{}\n[{} characters are left out]\n{}", head_,
                     length_ - utf16Length(head_) - utf16Length(tail), tail);
}

common::Json BoundedText::truncation(std::int64_t now_ms) const {
  if (!cut_) {
    return {};
  }
  return common::Json::object()
      .set("originalLength", length_)
      .set("retainedHeadLength", utf16Length(head_))
      .set("retainedTailLength", utf16Length(keptTail()))
      .set("truncatedAt", now_ms);
}

std::string headOf(std::string_view text, std::size_t most) {
  return text.size() <= most ? std::string(text)
                             : fmt::format("{}…", text.substr(0, endOfHead(text, most)));
}

std::string clipped(std::string_view text) { return BoundedText(text).text(); }

bool mayBeCut(std::string_view text) { return text.size() >= 2 * (kHalf - kMostOfCharacter); }

}  // namespace svc::agentd
