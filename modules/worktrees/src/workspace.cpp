#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "branches.h"
#include "diffs.h"

namespace svc::worktrees {
namespace {

using common::Json;

constexpr std::size_t kShownCommits = 100;
/// Fields and commits of what `git log` prints.
constexpr std::string_view kLogFormat = "--format=%H%x1f%h%x1f%s%x1f%an%x1f%at";
constexpr char kField = '\x1f';
constexpr std::int64_t kMilliseconds = 1000;

Json textOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json commitJson(std::string_view entry) {
  std::vector<std::string> fields;
  for (;;) {
    const auto end = std::min(entry.find(kField), entry.size());
    fields.emplace_back(entry.substr(0, end));
    if (end == entry.size()) {
      break;
    }
    entry.remove_prefix(end + 1);
  }
  constexpr std::size_t kFields = 5;
  fields.resize(kFields);
  return Json::object()
      .set("sha", fields[0])
      .set("shortSha", fields[1])
      .set("subject", fields[2])
      .set("authorName", fields[3])
      .set("authoredAt",
           std::int64_t{std::strtoll(fields[4].c_str(), nullptr, 10)} * kMilliseconds);
}

Result<Json> commitsBetween(const Git& git, const std::string& base, const std::string& head) {
  const auto logged =
      git.text({"log", "-z", std::string(kLogFormat), fmt::format("--max-count={}", kShownCommits),
                base + ".." + head, "--"});
  if (!logged) {
    return logged.error();
  }
  auto out = Json::array();
  for (const auto entry : nulSeparated(logged.value())) {
    out.push(commitJson(entry));
  }
  return out;
}

struct Apart {
  std::int64_t behind = 0;
  std::int64_t ahead = 0;
};

Apart apart(const Git& git, const std::string& base, const std::string& head) {
  const auto counted = git.line({"rev-list", "--left-right", "--count", base + "..." + head, "--"});
  const auto tab = counted.find('\t');
  if (tab == std::string::npos) {
    return {};
  }
  const auto number = [](const std::string& digits) {
    return static_cast<std::int64_t>(std::strtoll(digits.c_str(), nullptr, 10));
  };
  return {.behind = number(counted.substr(0, tab)), .ahead = number(counted.substr(tab + 1))};
}

/// null when there is nothing to compare with.
Result<Json> mergeBaseOf(const Git& git, const std::string& branch, const std::string& head) {
  const auto other = branchCommit(git, branch);
  if (head.empty() || other.empty()) {
    return Json();
  }
  const auto range = rangeOf(git, {.type = "branch_committed", .merge_base_branch = branch});
  if (!range) {
    return range.error();
  }
  const auto changes = changesOf(git, range.value());
  if (!changes) {
    return changes.error();
  }
  const auto counts = apart(git, other, head);
  auto commits = commitsBetween(git, other, head);
  if (!commits) {
    return commits;
  }
  return Json::object()
      .set("mergeBaseBranch", branch)
      .set("baseRef", textOrNull(range.value().merge_base))
      .set("aheadCount", counts.ahead)
      .set("behindCount", counts.behind)
      .set("hasCommittedUnmergedChanges", counts.ahead > 0)
      .set("commits", std::move(commits).value())
      .set("files", toFileStats(changes.value()))
      .set("insertions", changes.value().insertions)
      .set("deletions", changes.value().deletions)
      .set("lineStatsComplete", changes.value().counted);
}

const char* stateOf(const Changes& changes, bool unmerged) {
  const auto& files = changes.files;
  if (files.empty()) {
    return unmerged ? "committed_unmerged" : "clean";
  }
  if (unmerged) {
    return "dirty_and_committed_unmerged";
  }
  return std::all_of(files.begin(), files.end(), [](const auto& each) { return each.untracked; })
             ? "untracked"
             : "dirty_uncommitted";
}

}  // namespace

Result<Json> workspaceOf(const Git& git, const std::string& merge_base_branch,
                         const std::string& base_branch) {
  const auto range = rangeOf(git, {});
  if (!range) {
    return range.error();
  }
  const auto changes = changesOf(git, range.value());
  if (!changes) {
    return changes.error();
  }
  const auto& found = changes.value();
  auto merge_base = mergeBaseOf(
      git, merge_base_branch.empty() ? comparisonBase(git, base_branch) : merge_base_branch,
      headCommit(git));
  if (!merge_base) {
    return merge_base;
  }
  const bool unmerged = merge_base.value()["hasCommittedUnmergedChanges"].asBool();
  return Json::object()
      .set("checkout", checkoutOf(git))
      .set("branch", Json::object()
                         .set("currentBranch", textOrNull(currentBranch(git)))
                         .set("defaultBranch", defaultBranch(git)))
      .set("workingTree", Json::object()
                              .set("state", stateOf(found, unmerged))
                              .set("hasUncommittedChanges", !found.files.empty())
                              .set("files", toFileStats(found))
                              .set("insertions", found.insertions)
                              .set("deletions", found.deletions)
                              .set("lineStatsComplete", found.counted))
      .set("mergeBase", std::move(merge_base).value());
}

}  // namespace svc::worktrees
