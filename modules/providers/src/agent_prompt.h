#pragma once

#include <string>

#include "svc/common/json.h"

namespace svc::providers {

/// Input blocks of the contract as content blocks of ACP. What has no text becomes a link that the agent opens itself; a relative path
/// of a mention lies in `cwd`.
[[nodiscard]] common::Json contentBlocks(const common::Json& input, const std::string& cwd);

/// "ask", "edits" or "all", as agent.open has it.
[[nodiscard]] const char* approvalOf(const common::Json& execution);

}  // namespace svc::providers
