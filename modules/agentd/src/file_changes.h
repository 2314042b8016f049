#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"

namespace svc::agentd {

struct ToolCall;

/// The first of these members that is a text with characters.
[[nodiscard]] std::string firstText(const common::Json& object,
                                    std::span<const std::string_view> names);
[[nodiscard]] std::string firstText(const common::Json& object,
                                    std::initializer_list<std::string_view> names);

/// The file that a call names first; empty for none.
[[nodiscard]] std::string pathOf(const ToolCall& call);
/// Every path that it names, wherever it does.
[[nodiscard]] std::vector<std::string> pathsOf(const ToolCall& call);
[[nodiscard]] bool hasDiff(const ToolCall& call);
/// `changes` of the contract, with diffs as far as they are told.
[[nodiscard]] common::Json changesOf(const ToolCall& call);

}  // namespace svc::agentd
