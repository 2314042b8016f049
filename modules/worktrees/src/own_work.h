#pragma once

#include <string>

#include "git.h"

namespace svc::worktrees {

/// Why a worktree stays: what of it would be nowhere else when it went. Empty when all of it is somewhere else too, else "uncommitted",
/// "submodule" or "unmerged". `git` is open in the worktree.
[[nodiscard]] Result<std::string> workOnlyIn(const Git& git);

}  // namespace svc::worktrees
