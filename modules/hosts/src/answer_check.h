#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "svc/kernel/result.h"

namespace svc::hosts {

/// What has to be known of a command to judge its answer.
struct AskedCommand {
  std::string type;
  /// Entries that a list of its answer may have.
  std::size_t limit = 0;
};

/// The type of the command whose JSON text begins so; empty when it has none. It is the first member, or the text is whole.
[[nodiscard]] std::string askedType(std::string_view command);
/// From the whole text.
[[nodiscard]] AskedCommand askedCommand(std::string_view command);

/// Whether more that a daemon says may be passed on before this answer has been checked. False for the first answers about terminals and
/// sessions of agents, which what follows them depends on.
[[nodiscard]] bool mayWait(const AskedCommand& command);

/// Whether a daemon's answer has what the contract says of the command: one JSON object with the members of the command's row, and none
/// that says for itself how the request went (`ok`, `error`). The error says what is wrong; its code is `host_error`. Commands without a
/// row: the object only. Pure; takes long for large contents.
[[nodiscard]] Status checkAnswer(const AskedCommand& command, const std::string& answer);

}  // namespace svc::hosts
