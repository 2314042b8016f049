#pragma once

#include <string>

#include "svc/common/json.h"

#include "git.h"

namespace svc::worktrees {

// What changes a repository. Blocking; one at a time in a folder. Nothing of the repository is run: no hook, no signature, no filter of
// its own (`conflict` when it has one).

/// Everything in the folder becomes a commit, but for repositories in it and names that git refuses (leftOut).
/// { commitSha, commitSubject, leftOut }. `conflict`: nothing has changed, files are unmerged, or a merge
/// or its like is in progress.
[[nodiscard]] Result<common::Json> commitAll(const Git& git, const std::string& message);

struct BranchChoice {
  /// Of the branch; that of a new one.
  std::string name;
  bool is_new = false;
  std::string base{};  ///< of a new one; empty = what is checked out
};

/// { checkout }. `conflict` with uncommitted changes, or when the name is taken or is none; `not_found`.
[[nodiscard]] Result<common::Json> checkOut(const Git& git, const BranchChoice& choice);
/// `invalid_input` says what a branch's name must be.
[[nodiscard]] Status checkBranchName(const Git& git, const std::string& name);

}  // namespace svc::worktrees
