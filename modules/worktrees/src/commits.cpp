#include "commits.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/base/text.h"
#include "svc/common/codes.h"
#include "svc/common/limits/files.h"
#include "svc/common/limits/worktrees.h"

#include "branches.h"
#include "changes.h"
#include "half_made.h"

namespace svc::worktrees {
namespace {

using common::Json;

/// The index gets what the folder has, file by file as it was seen. `git add` would ask submodules, whose configuration is theirs.
Status stage(const Git& git, const Changes& changes) {
  std::string paths;
  for (const auto& change : changes.files) {
    if (change.path.ends_with('/')) {
      continue;
    }
    for (const auto& path : {change.previous, change.path}) {
      if (!path.empty()) {
        paths += path;
        paths += '\0';
      }
    }
  }
  const auto input = inputOf(paths);
  if (!input) {
    return input.error();
  }
  const auto staged = git.text({"update-index", "--add", "--remove", "--replace", "-z", "--stdin"},
                               {}, input.value().get());
  return staged ? Status{} : Status{staged.error()};
}

/// Of new files, those that git has not taken: repositories in this one, and names that it refuses, which it tells in no other way.
std::vector<std::string> leftOutOf(const Git& git, const Changes& changes) {
  const auto listed =
      git.ask({"ls-files", "--others", "--exclude-standard", "-z"}, {.output = limits::kDiff});
  std::vector<std::string> out;
  for (const auto piece : nulSeparated(listed ? listed.value().out : std::string_view())) {
    const auto is_it = [piece](const auto& each) { return each.untracked && each.path == piece; };
    // What has been made since is for the next commit.
    if (std::any_of(changes.files.begin(), changes.files.end(), is_it)) {
      out.emplace_back(piece);
    }
  }
  return out;
}

Error nothingToCommit(const Git& git, const std::vector<std::string>& left_out = {}) {
  if (left_out.empty()) {
    return {errc::kConflict,
            fmt::format("nothing has changed in {} since its last commit", git.folder().string())};
  }
  return {errc::kConflict,
          fmt::format("nothing has changed in {} that a commit takes: {}{} is a repository of its "
                      "own, or has a name that git refuses",
                      git.folder().string(), left_out.front(),
                      left_out.size() == 1 ? std::string()
                                           : fmt::format(" (and {} more)", left_out.size() - 1))};
}

Result<Changes> committable(const Git& git) {
  if (auto writable = git.checkWritable(); !writable) {
    return std::move(writable).error();
  }
  if (const auto operation = operationOf(git); !operation.empty()) {
    return Error{errc::kConflict,
                 fmt::format("a {} is in progress in {}; finish it in a terminal first", operation,
                             git.folder().string())};
  }
  const auto range = rangeOf(git, {});
  if (!range) {
    return range.error();
  }
  auto changes = changesOf(git, range.value());
  if (!changes) {
    return changes;
  }
  if (changes.value().files.empty()) {
    return nothingToCommit(git);
  }
  if (changes.value().truncated) {
    return Error{errc::kConflict,
                 fmt::format("more than {} files have changed in {} (limit listing); commit in a "
                             "terminal, or ignore what does not belong there",
                             limits::kListing, git.folder().string())};
  }
  return changes;
}

Status checkClean(const Git& git) {
  const auto changed = hasUncommittedChanges(git);
  if (!changed) {
    return changed.error();
  }
  if (changed.value()) {
    return Error{errc::kConflict,
                 fmt::format("{} has uncommitted changes; commit them or put them away before "
                             "another branch is checked out there",
                             git.folder().string())};
  }
  return {};
}

}  // namespace

Status checkBranchName(const Git& git, const std::string& name) {
  const auto checked = git.ask({"check-ref-format", "--branch", name});
  if (!checked) {
    return checked.error();
  }
  if (name.empty() || name.front() == '-' || name.find('@') == 0 || checked.value().code != 0) {
    return Error{errc::kInvalidInput, fmt::format("\"{}\" is no name for a branch", name)};
  }
  return {};
}

Result<Json> commitAll(const Git& git, const std::string& message) {
  const auto text = std::string(base::trimmed(message));
  if (text.empty() || text.size() > limits::kCommitMessage) {
    return Error{errc::kInvalidInput,
                 fmt::format("the message of a commit has 1 to {} bytes, this one has {}",
                             limits::kCommitMessage, text.size())};
  }
  const auto changes = committable(git);
  if (!changes) {
    return changes.error();
  }
  if (auto staged = stage(git, changes.value()); !staged) {
    return std::move(staged).error();
  }
  const auto tree = git.text({"write-tree"});
  if (!tree) {
    return tree.error();
  }
  const auto tree_id = std::string(base::trimmed(tree.value()));
  const auto left_out = leftOutOf(git, changes.value());
  const auto head = headCommit(git);
  if (!head.empty() && git.line({"rev-parse", head + "^{tree}"}) == tree_id) {
    return nothingToCommit(git, left_out);
  }
  const auto input = inputOf(text + "\n");
  if (!input) {
    return input.error();
  }
  std::vector<std::string> commit{"commit-tree", tree_id, "-F", "-"};
  if (!head.empty()) {
    commit.insert(commit.end(), {"-p", head});
  }
  const auto made = git.text(std::move(commit), {}, input.value().get());
  if (!made) {
    return made.error();
  }
  const auto sha = std::string(base::trimmed(made.value()));
  const auto subject = text.substr(0, text.find('\n'));
  // Only from where it was: somebody may commit at the same time.
  const std::string before = head.empty() ? std::string(sha.size(), '0') : head;
  const auto moved = git.text({"update-ref", "-m", "commit: " + subject, "HEAD", sha, before});
  if (!moved) {
    return moved.error();
  }
  auto not_in_it = Json::array();
  for (const auto& path : left_out) {
    not_in_it.push(path);
  }
  return Json::object()
      .set("commitSha", sha)
      .set("commitSubject", subject)
      .set("leftOut", std::move(not_in_it));
}

namespace {

/// Of a new branch that was asked for before, whose answer got lost with its daemon: what is missing of it is done. False when it was not.
bool goOnWith(const Git& git, const BranchChoice& choice, const std::string& base) {
  removeLocksOf(git, choice.name);
  if (!isUntouched(git, choice.name, base)) {
    return false;
  }
  const auto now = currentBranch(git);
  if (now == choice.name) {
    return true;
  }
  // HEAD is the last thing that git writes.
  if (!git.checkWritable() || !isLike(git, base)) {
    return false;
  }
  const auto moved = git.text({"symbolic-ref", "-m",
                               fmt::format("checkout: moving from {} to {}",
                                           now.empty() ? headCommit(git) : now, choice.name),
                               "HEAD", "refs/heads/" + choice.name});
  return moved.ok();
}

}  // namespace

Result<Json> checkOut(const Git& git, const BranchChoice& choice) {
  if (auto named = checkBranchName(git, choice.name); !named) {
    return std::move(named).error();
  }
  const auto base =
      !choice.is_new || choice.base.empty() ? headCommit(git) : branchCommit(git, choice.base);
  if (choice.is_new ? goOnWith(git, choice, base) : currentBranch(git) == choice.name) {
    return Json::object().set("checkout", checkoutOf(git));
  }
  for (auto check : {git.checkWritable(), checkClean(git)}) {
    if (!check) {
      return std::move(check).error();
    }
  }
  std::vector<std::string> command{"checkout", "--quiet", "--no-recurse-submodules"};
  if (choice.is_new) {
    if (base.empty()) {
      return Error{errc::kNotFound, fmt::format("the repository {} has no branch \"{}\"",
                                                git.folder().string(), choice.base)};
    }
    command.insert(command.end(), {"--no-track", "-b", choice.name, base});
  } else if (!commitOf(git, "refs/heads/" + choice.name).empty()) {
    command.push_back(choice.name);
  } else if (!commitOf(git, "refs/remotes/" + choice.name).empty()) {
    const auto local = choice.name.substr(choice.name.find('/') + 1);
    if (!commitOf(git, "refs/heads/" + local).empty()) {
      command.push_back(local);
    } else {
      command.insert(command.end(), {"--track", "-b", local, "refs/remotes/" + choice.name});
    }
  } else {
    return Error{errc::kNotFound, fmt::format("the repository {} has no branch \"{}\"",
                                              git.folder().string(), choice.name)};
  }
  command.emplace_back("--");
  const auto done = git.text(std::move(command));
  if (!done) {
    return done.error();
  }
  return Json::object().set("checkout", checkoutOf(git));
}

}  // namespace svc::worktrees
