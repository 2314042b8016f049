#include "own_work.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/base/text.h"

#include "branches.h"
#include "changes.h"

namespace svc::worktrees {
namespace {

namespace fs = std::filesystem;

/// Of a list of all files: some millions.
constexpr std::size_t kIndexBytes = 512UL * 1024 * 1024;
/// Of an id by SHA-1; newer ones are longer.
constexpr std::size_t kIdDigits = 40;

/// What `git status` says nothing about.
struct Unseen {
  /// Paths and ids of files that git is told not to look at, and that are there all the same.
  std::vector<std::pair<std::string, std::string>> skipped;
  bool submodules = false;
};

/// Of "S 100644 <id> 0\t<path>"
void readEntry(const fs::path& folder, std::string_view entry, Unseen& into) {
  constexpr std::string_view kSkipped = "S ";
  constexpr std::string_view kSubmodule = "160000 ";
  constexpr std::size_t kIdAt = 9;
  const auto tab = entry.find('\t');
  if (tab == std::string_view::npos || entry.size() < kIdAt) {
    return;
  }
  const bool submodule = entry.substr(kSkipped.size()).starts_with(kSubmodule);
  if (!submodule && !entry.starts_with(kSkipped)) {
    return;
  }
  const auto path = folder / entry.substr(tab + 1);
  std::error_code ignored;
  if (submodule) {
    into.submodules = into.submodules || fs::exists(fs::symlink_status(path / ".git", ignored));
  } else if (fs::exists(fs::symlink_status(path, ignored))) {
    const auto id = entry.substr(kIdAt);
    into.skipped.emplace_back(entry.substr(tab + 1), id.substr(0, id.find(' ')));
  }
}

Result<Unseen> unseenIn(const Git& git) {
  const auto listed = git.text({"ls-files", "-t", "--stage", "-z"}, {.output = kIndexBytes});
  if (!listed) {
    return listed.error();
  }
  Unseen out;
  for (const auto entry : nulSeparated(listed.value())) {
    readEntry(git.folder(), entry, out);
  }
  // What was committed in a submodule that is not checked out any more is there.
  const fs::path directory = git.line({"rev-parse", "--absolute-git-dir"});
  std::error_code failure;
  const bool none = fs::is_empty(directory / "modules", failure);
  out.submodules = out.submodules || (!failure && !none);
  return out;
}

/// Whether one of them is not as git has it. What cannot be compared is not.
Result<bool> differs(const Git& git,
                     const std::vector<std::pair<std::string, std::string>>& files) {
  if (files.empty()) {
    return false;
  }
  std::string paths;
  std::string ids;
  for (const auto& [path, id] : files) {
    std::error_code ignored;
    if (path.find('\n') != std::string::npos || path.front() == '"' ||
        !fs::is_regular_file(fs::symlink_status(git.folder() / path, ignored))) {
      return true;
    }
    paths += path + "\n";
    ids += id + "\n";
  }
  const auto input = inputOf(paths);
  if (!input) {
    return input.error();
  }
  const auto hashed =
      git.ask({"hash-object", "--stdin-paths"}, {.output = ids.size() + 1}, input.value().get());
  if (!hashed) {
    return hashed.error();
  }
  return hashed.value().code != 0 || hashed.value().out != ids;
}

/// The commits that HEAD was at on no branch and has left: the history of HEAD, which goes with the worktree, may be all that names them. What
/// was amended, rebased or reset was let go of by who did it.
Result<std::string> leftCommits(const Git& git) {
  constexpr std::string_view kMoved = "checkout: moving from ";
  const auto history = git.text({"reflog", "show", "--format=%gs%x00", "HEAD", "--"});
  if (!history) {
    return history.error();
  }
  std::string out;
  for (const auto piece : nulSeparated(history.value())) {
    const auto entry = base::trimmed(piece);
    if (!entry.starts_with(kMoved)) {
      continue;
    }
    const auto rest = entry.substr(kMoved.size());
    const auto from = rest.substr(0, rest.find(' '));
    if (from.size() >= kIdDigits &&
        from.find_first_not_of("0123456789abcdef") == std::string_view::npos) {
      out += std::string(from) + "\n";
    }
  }
  return out;
}

/// A commit that no other branch, remote or tag has.
Result<bool> hasCommitsOfItsOwn(const Git& git) {
  auto commits = leftCommits(git);
  if (!commits) {
    return commits.error();
  }
  if (const auto head = headCommit(git); !head.empty()) {
    commits.value() += head + "\n";
  }
  const auto input = inputOf(commits.value());
  if (!input) {
    return input.error();
  }
  // One that is gone already keeps nothing.
  std::vector<std::string> alone{"rev-list", "--ignore-missing", "--max-count=1", "--stdin",
                                 "--not"};
  if (const auto branch = currentBranch(git); !branch.empty()) {
    alone.push_back("--exclude=" + branch);
  }
  alone.insert(alone.end(), {"--branches", "--remotes", "--tags", "--"});
  const auto found = git.text(std::move(alone), {}, input.value().get());
  return found ? Result<bool>(!found.value().empty()) : found.error();
}

}  // namespace

Result<std::string> workOnlyIn(const Git& git) {
  const auto changed = hasUncommittedChanges(git);
  if (!changed) {
    return changed.error();
  }
  if (changed.value()) {
    return std::string("uncommitted");
  }
  const auto unseen = unseenIn(git);
  if (!unseen) {
    return unseen.error();
  }
  const auto different = differs(git, unseen.value().skipped);
  if (!different) {
    return different.error();
  }
  if (different.value()) {
    return std::string("uncommitted");
  }
  if (unseen.value().submodules) {
    return std::string("submodule");
  }
  const auto unmerged = hasCommitsOfItsOwn(git);
  if (!unmerged) {
    return unmerged.error();
  }
  return std::string(unmerged.value() ? "unmerged" : "");
}

}  // namespace svc::worktrees
