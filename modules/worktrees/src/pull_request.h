#pragma once

#include <stop_token>
#include <string>

#include "svc/base/environment.h"
#include "svc/common/json.h"

#include "git.h"

namespace svc::worktrees {

/// { outcome: "available", pullRequest }, { outcome: "absent" } or { outcome: "unavailable", message }: that of the branch which is checked
/// out, as the program `gh` of this machine's user sees it. Blocking.
[[nodiscard]] common::Json pullRequestOf(const Git& git, const base::Environment& environment,
                                         const std::stop_token& stop);
[[nodiscard]] common::Json noPullRequest(const std::string& message);

/// The record of the contract from what `gh pr view --json` prints. Pure.
[[nodiscard]] common::Json pullRequestRecord(const common::Json& seen);
/// The fields that are asked for.
[[nodiscard]] const char* pullRequestFields();

}  // namespace svc::worktrees
