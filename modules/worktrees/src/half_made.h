#pragma once

#include <filesystem>
#include <string>

#include "git.h"

namespace svc::worktrees {

// What git leaves behind when it is killed with the daemon while it makes a branch or a worktree. Whoever asks once more for the same goes
// on from there: it was never answered, so there is nobody's work in it.

/// Locks of a branch that is not there yet, and of the switch to it. Nobody else makes a branch of that name.
void removeLocksOf(const Git& git, const std::string& branch);
/// The worktree at `folder`, unless it is whole: the folder and what git knows of it. Its branch stays.
void removeHalfMade(const Git& git, const std::filesystem::path& folder);
/// The branch begins at this commit, was made for it, and nothing has happened on it.
[[nodiscard]] bool isUntouched(const Git& git, const std::string& branch,
                               const std::string& commit);
/// Files and index are those of the commit, whatever HEAD says.
[[nodiscard]] bool isLike(const Git& git, const std::string& commit);

}  // namespace svc::worktrees
