#pragma once

#include <string>
#include <vector>

#include "changes.h"

namespace svc::worktrees {

// The answers of the contract about what has changed in a folder, without its outcome. Blocking.

/// { checkout, branch, workingTree, mergeBase }; what it is compared with as in Target.
[[nodiscard]] Result<common::Json> workspaceOf(const Git& git, const std::string& merge_base_branch,
                                               const std::string& base_branch = {});
/// { diff, leftOut, files, shortstat, mergeBaseRef, truncated }; `leftOut`: the files whose change is not in the patch as it is, which are
/// too large, cannot be read, or are no UTF-8 text.
[[nodiscard]] Result<common::Json> diffOf(const Git& git, const Target& target);
/// { files, initialPatches, mergeBaseRef, shortstat, truncated }
[[nodiscard]] Result<common::Json> diffFilesOf(const Git& git, const Target& target);
/// Patch[]: { path, patch, truncated }; of a file that is the same, an empty one.
[[nodiscard]] Result<common::Json> patchesOf(const Git& git, const Target& target,
                                             const std::vector<std::string>& paths);

struct Side {
  std::string path;
  bool old = false;
  /// What the old side is taken from; empty = as the target says.
  std::string merge_base_ref{};
  Target target{};
};

/// { path, content, contentEncoding, sizeBytes }
[[nodiscard]] Result<common::Json> diffFileOf(const Git& git, const Side& side);

}  // namespace svc::worktrees
