#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "svc/common/json.h"
#include "svc/common/limits/worktrees.h"

#include "git.h"

namespace svc::worktrees {

// What is checked out and what could be. Blocking. Ids of commits are whole, names of branches are short.

/// { kind: "branch" | "detached" | "unborn" | "unknown", … }
[[nodiscard]] common::Json checkoutOf(const Git& git);
/// "main"; empty when no branch is checked out.
[[nodiscard]] std::string currentBranch(const Git& git);
/// Of what is checked out; empty before the first commit.
[[nodiscard]] std::string headCommit(const Git& git);
/// Of a branch, tag or id; nothing when there is none. Names that begin with a dash are none.
[[nodiscard]] std::string commitOf(const Git& git, const std::string& revision);
/// Of what somebody names as a branch: a tag of the same name comes after it. Else as commitOf().
[[nodiscard]] std::string branchCommit(const Git& git, const std::string& name);
/// What the remote calls its default branch, else "main", "master" or what is checked out; empty without any.
[[nodiscard]] std::string defaultBranch(const Git& git);
/// What new work begins at: the remote's default branch, else the local one.
[[nodiscard]] std::string defaultBase(const Git& git);
/// What work is compared with when nobody names a branch: the one it began at (empty = not known) as long as that is there, else the
/// default branch of the remote, else the local one, else what is checked out. Empty before the first commit.
[[nodiscard]] std::string comparisonBase(const Git& git, const std::string& began_at);
/// Of the remote "origin", else of the first one; empty without any. A password in it is left out.
[[nodiscard]] std::string remoteUrl(const Git& git);
/// What of an address may be shown.
[[nodiscard]] std::string withoutPassword(std::string url);
/// "merge", "rebase", "cherry-pick", "revert"; empty when none is in progress.
[[nodiscard]] std::string operationOf(const Git& git);

struct BranchQuery {
  std::string query{};  ///< part of the name, whatever the case
  std::size_t limit = limits::kBranchesDefault;
  std::optional<std::string> selected{};
};

/// { branches, branchesTruncated, remoteBranches, remoteBranchesTruncated, selectedBranch }, latest work first
[[nodiscard]] Result<common::Json> branchLists(const Git& git, const BranchQuery& query);
/// The same with checkout, operation, the default branches and hasUncommittedChanges.
[[nodiscard]] Result<common::Json> branchesOf(const Git& git, const BranchQuery& query);
/// That of a folder which is in no repository.
[[nodiscard]] common::Json noBranches(const std::string& reason);

}  // namespace svc::worktrees
