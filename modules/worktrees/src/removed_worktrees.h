#pragma once

#include <filesystem>
#include <stop_token>

#include "git.h"

namespace svc::worktrees {

// A worktree goes at once: it is moved out of the way, and its repository forgets it. Its files are deleted after that, however long that
// takes, and by the next daemon when this one ends meanwhile.

/// `git` is open in the worktree, which is `git.folder()`. `conflict` when it is locked, or no worktree that its repository has there.
[[nodiscard]] Status putAway(const Git& git);
/// Deletes what was put away in the folder that worktrees are made in, until `stop`. What cannot be deleted is tried again the next time.
void deletePutAway(const std::filesystem::path& worktrees, const std::stop_token& stop);

}  // namespace svc::worktrees
