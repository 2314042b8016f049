#include "branches.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/fold.h"

#include "changes.h"

namespace svc::worktrees {
namespace {

using common::Json;
namespace fs = std::filesystem;

constexpr std::string_view kHeads = "refs/heads/";
constexpr std::string_view kRemotes = "refs/remotes/";

Json orNull(std::string text) { return text.empty() ? Json() : Json(std::move(text)); }

bool isThere(const Git& git, const std::string& reference) {
  const auto answer = git.ask({"show-ref", "--verify", "--quiet", reference});
  return answer && answer.value().code == 0;
}

/// "origin/main" when the remote has said so.
std::string originDefault(const Git& git) {
  const auto name = git.line({"symbolic-ref", "--quiet", "refs/remotes/origin/HEAD"});
  return name.starts_with(kRemotes) && isThere(git, name) ? name.substr(kRemotes.size())
                                                          : std::string();
}

std::string withoutRemote(const std::string& name) {
  return name.substr(std::min(name.find('/') + 1, name.size()));
}

struct Names {
  std::vector<std::string> names;
  bool truncated = false;

  [[nodiscard]] Json json() const {
    auto out = Json::array();
    for (const auto& name : names) {
      out.push(name);
    }
    return out;
  }
};

/// By name, without those that name nothing: git fails as a whole when it is to sort them by what they name.
Result<std::string> wholeBelow(const Git& git, std::string_view prefix) {
  const auto listed =
      git.text({"for-each-ref", "--format=%(objectname) %(refname)", std::string(prefix)});
  if (!listed) {
    return listed;
  }
  const auto input = inputOf(listed.value());
  if (!input) {
    return input.error();
  }
  // "<id> missing" stands for one that is not there.
  const auto found =
      git.text({"cat-file", "--batch-check=%(objecttype) %(rest)"}, {}, input.value().get());
  if (!found) {
    return found;
  }
  std::string out;
  std::istringstream lines(found.value());
  for (std::string line; std::getline(lines, line);) {
    if (const auto name = line.find(" refs/"); name != std::string::npos) {
      out += line.substr(name + 1) + '\n';
    }
  }
  return out;
}

Result<Names> namesBelow(const Git& git, std::string_view prefix, const BranchQuery& query) {
  auto listed = git.text({"for-each-ref", "--sort=-committerdate", "--sort=refname",
                          "--format=%(refname)", std::string(prefix)});
  if (!listed && listed.error().code == errc::kConflict) {
    listed = wholeBelow(git, prefix);
  }
  if (!listed) {
    return listed.error();
  }
  const auto wanted = common::foldCase(query.query);
  Names out;
  std::string_view left = listed.value();
  while (!left.empty()) {
    const auto end = std::min(left.find('\n'), left.size());
    auto name = std::string(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
    if (name.size() <= prefix.size() || (prefix == kRemotes && name.ends_with("/HEAD"))) {
      continue;
    }
    name.erase(0, prefix.size());
    if (!wanted.empty() && common::foldCase(name).find(wanted) == std::string::npos) {
      continue;
    }
    if (out.names.size() == query.limit) {
      out.truncated = true;
      break;
    }
    out.names.push_back(std::move(name));
  }
  return out;
}

Json selectedOf(const Git& git, const std::optional<std::string>& name) {
  if (!name || name->empty()) {
    return {};
  }
  const char* kind = isThere(git, std::string(kHeads) + *name)     ? "local"
                     : isThere(git, std::string(kRemotes) + *name) ? "remote"
                                                                   : "missing";
  return Json::object().set("kind", kind).set("name", *name);
}

Json relationOf(const Git& git, const std::string& local, const std::string& remote) {
  if (local.empty() || remote.empty() || !isThere(git, std::string(kHeads) + local)) {
    return {};
  }
  const auto counted =
      git.text({"rev-list", "--left-right", "--count",
                fmt::format("{}{}...{}{}", kHeads, local, kRemotes, remote), "--"});
  const auto tab = counted ? counted.value().find('\t') : std::string::npos;
  if (tab == std::string::npos) {
    return "unknown";
  }
  const bool ahead = counted.value().substr(0, tab) != "0";
  const bool behind = !counted.value().substr(tab + 1).starts_with("0");
  return ahead && behind ? "diverged" : ahead ? "local-ahead" : behind ? "local-behind" : "equal";
}

Json operationJson(const Git& git) {
  const auto kind = operationOf(git);
  if (kind.empty()) {
    return Json::object().set("kind", "none");
  }
  const auto unmerged = git.ask({"ls-files", "--unmerged", "-z"}, {.output = 1});
  return Json::object()
      .set("kind", kind)
      .set("hasConflicts", unmerged && !unmerged.value().out.empty());
}

}  // namespace

std::string currentBranch(const Git& git) {
  const auto name = git.line({"symbolic-ref", "--quiet", "HEAD"});
  return name.starts_with(kHeads) ? name.substr(kHeads.size()) : std::string();
}

std::string commitOf(const Git& git, const std::string& revision) {
  if (revision.empty() || revision.front() == '-') {
    return {};
  }
  return git.line({"rev-parse", "--verify", "--quiet", revision + "^{commit}"});
}

std::string branchCommit(const Git& git, const std::string& name) {
  for (const auto prefix : {kHeads, kRemotes}) {
    auto commit = name.empty() ? name : commitOf(git, std::string(prefix) + name);
    if (!commit.empty()) {
      return commit;
    }
  }
  return commitOf(git, name);
}

std::string headCommit(const Git& git) { return commitOf(git, "HEAD"); }

Json checkoutOf(const Git& git) {
  const auto head = headCommit(git);
  auto branch = currentBranch(git);
  if (head.empty()) {
    return Json::object().set("kind", "unborn").set("branchName", orNull(std::move(branch)));
  }
  if (branch.empty()) {
    return Json::object().set("kind", "detached").set("headSha", head);
  }
  return Json::object()
      .set("kind", "branch")
      .set("branchName", std::move(branch))
      .set("headSha", head);
}

std::string defaultBranch(const Git& git) {
  if (const auto origin = originDefault(git); !origin.empty()) {
    return withoutRemote(origin);
  }
  for (const auto* name : {"main", "master"}) {
    if (isThere(git, std::string(kHeads) + name)) {
      return name;
    }
  }
  return currentBranch(git);
}

std::string defaultBase(const Git& git) {
  if (auto origin = originDefault(git); !origin.empty()) {
    return origin;
  }
  if (auto current = currentBranch(git); !current.empty()) {
    return current;
  }
  return headCommit(git);
}

std::string comparisonBase(const Git& git, const std::string& began_at) {
  for (auto& branch : {began_at, originDefault(git), defaultBranch(git)}) {
    if (!branchCommit(git, branch).empty()) {
      return branch;
    }
  }
  return headCommit(git);
}

std::string remoteUrl(const Git& git) {
  auto url = git.line({"config", "--get", "remote.origin.url"});
  if (url.empty()) {
    const auto first = git.line({"remote"});
    url =
        first.empty() ? first : git.line({"config", "--get", fmt::format("remote.{}.url", first)});
  }
  return withoutPassword(std::move(url));
}

std::string withoutPassword(std::string url) {
  const auto scheme = url.find("://");
  if (scheme == std::string::npos) {
    return url;
  }
  const auto begin = scheme + 3;
  const auto host = url.substr(begin, url.find_first_of("/?#", begin) - begin);
  // A password may have an at sign itself.
  const auto at = host.rfind('@');
  const auto colon = host.find(':');
  if (at != std::string::npos && colon < at) {
    url.erase(begin + colon, at - colon);
  }
  return url;
}

std::string operationOf(const Git& git) {
  const fs::path directory = git.line({"rev-parse", "--absolute-git-dir"});
  constexpr std::array<std::pair<const char*, const char*>, 5> kMarks{
      {{"rebase-merge", "rebase"},
       {"rebase-apply", "rebase"},
       {"MERGE_HEAD", "merge"},
       {"CHERRY_PICK_HEAD", "cherry-pick"},
       {"REVERT_HEAD", "revert"}}};
  for (const auto& [name, kind] : kMarks) {
    std::error_code ignored;
    if (!directory.empty() && fs::exists(fs::symlink_status(directory / name, ignored))) {
      return kind;
    }
  }
  return {};
}

Result<Json> branchLists(const Git& git, const BranchQuery& query) {
  const auto local = namesBelow(git, kHeads, query);
  if (!local) {
    return local.error();
  }
  const auto remote = namesBelow(git, kRemotes, query);
  if (!remote) {
    return remote.error();
  }
  return Json::object()
      .set("branches", local.value().json())
      .set("branchesTruncated", local.value().truncated)
      .set("remoteBranches", remote.value().json())
      .set("remoteBranchesTruncated", remote.value().truncated)
      .set("selectedBranch", selectedOf(git, query.selected));
}

Result<Json> branchesOf(const Git& git, const BranchQuery& query) {
  auto out = branchLists(git, query);
  if (!out) {
    return out;
  }
  const auto changed = hasUncommittedChanges(git);
  if (!changed) {
    return changed.error();
  }
  const auto origin = originDefault(git);
  const auto local = defaultBranch(git);
  out.value()
      .set("checkout", checkoutOf(git))
      .set("operation", operationJson(git))
      .set("defaultBranch", orNull(local))
      .set("originDefaultBranch", orNull(origin.empty() ? origin : withoutRemote(origin)))
      .set("defaultWorktreeBaseBranch", orNull(defaultBase(git)))
      .set("defaultBranchRelation", relationOf(git, local, origin))
      .set("hasUncommittedChanges", changed.value());
  return out;
}

Json noBranches(const std::string& reason) {
  return Json::object()
      .set("branches", Json::array())
      .set("branchesTruncated", false)
      .set("remoteBranches", Json::array())
      .set("remoteBranchesTruncated", false)
      .set("selectedBranch", nullptr)
      .set("checkout", Json::object().set("kind", "unknown").set("reason", reason))
      .set("operation", Json::object().set("kind", "none"))
      .set("defaultBranch", nullptr)
      .set("originDefaultBranch", nullptr)
      .set("defaultWorktreeBaseBranch", nullptr)
      .set("defaultBranchRelation", nullptr)
      .set("hasUncommittedChanges", false);
}

}  // namespace svc::worktrees
