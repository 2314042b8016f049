#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"

namespace svc::agentd {

class BoundedText;
struct ToolCall;

/// A diff that is told, with the number of its change.
using DiffSeen = std::function<void(std::size_t, const BoundedText&)>;

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
[[nodiscard]] common::Json changesOf(const ToolCall& call, const DiffSeen& seen);

}  // namespace svc::agentd
