#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "answer_shape.h"

namespace svc::hosts {

/// What an answer has whose `outcome` is the word.
struct Outcome {
  std::string_view word;
  std::span<const Member> members{};
};

/// What the answer to a command has.
struct AnswerRow {
  std::string_view command;
  std::span<const Member> members{};
  /// Not empty: it has `outcome`, which is one of them.
  std::span<const Outcome> outcomes{};
  /// `limit` of the command when it has none; 0: the command has no such member.
  std::size_t default_limit = 0;
  /// It has the content of a file: `content` in `contentEncoding`.
  bool has_content = false;
};

/// nullptr when there is none.
[[nodiscard]] const AnswerRow* answerRow(std::string_view command);

}  // namespace svc::hosts
