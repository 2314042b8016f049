#include "places.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <sstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/marked_processes.h"
#include "svc/common/codes.h"
#include "svc/common/limits/worktrees.h"

#include "branches.h"
#include "commits.h"
#include "half_made.h"
#include "own_work.h"
#include "removed_worktrees.h"
#include "watched_run.h"

namespace svc::worktrees {
namespace {

namespace fs = std::filesystem;
using common::Json;

/// Ids are names of folders.
bool isFolderName(std::string_view id) {
  constexpr std::size_t kMost = 100;
  return !id.empty() && id.size() <= kMost && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

Json kept(const std::string& because) {
  return Json::object().set("removed", false).set("keptBecause", because);
}

Json removed() { return Json::object().set("removed", true); }

/// An environment that was given up keeps its folder, and the branch, while it has work of its own. A folder that is made for the branch
/// takes it over: in two of them each commit of the one would undo those of the other. Files and index stay as they are.
void takeBranchFrom(const fs::path& folders, const Git& git, const std::string& branch,
                    const base::Environment& environment, const std::stop_token& stop) {
  const auto listed = git.text({"worktree", "list", "--porcelain"});
  std::error_code failure;
  const auto own = fs::weakly_canonical(folders, failure);
  std::string path;
  std::istringstream lines(listed ? listed.value() : std::string());
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kWorktree = "worktree ";
    if (line.starts_with(kWorktree)) {
      path = line.substr(kWorktree.size());
    }
    if (line != "branch refs/heads/" + branch || fs::path(path).parent_path() != own) {
      continue;
    }
    const auto there = Git::open(path, environment, stop);
    if (const auto head = there ? headCommit(there.value()) : std::string(); !head.empty()) {
      (void)there.value().ask({"update-ref", "--no-deref", "HEAD", head});
    }
  }
}

/// Why no worktree can begin there.
Error noBase(const Git& git, const std::string& base) {
  const auto id =
      base.starts_with('-') ? std::string() : git.line({"rev-parse", "--verify", "--quiet", base});
  // What has a name is there: git says why it cannot be read.
  const auto read = id.empty() ? Result<std::string>("") : git.text({"cat-file", "commit", id});
  if (!read) {
    return read.error();
  }
  return {
      errc::kConflict,
      fmt::format("the repository {} has no \"{}\" that a worktree could begin at; make a first "
                  "commit, or name another branch",
                  git.folder().string(), base)};
}

Json orNullText(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

Result<fs::path> Places::ownFolder(const PlaceWish& wish) const {
  if (!isFolderName(wish.environment_id)) {
    return Error{errc::kInvalidInput, "environmentId: expected small letters, digits and _"};
  }
  return directory_ / (wish.type == "personal" ? "personal" : "worktrees") / wish.environment_id;
}

Json Places::facts(const fs::path& path, bool owns, const std::string& base) const {
  auto out = Json::object().set("path", path.string()).set("ownsPath", owns);
  const auto git = Git::open(path, environment_, stop_);
  const bool is_worktree = git && git.value().line({"rev-parse", "--git-dir"}) !=
                                      git.value().line({"rev-parse", "--git-common-dir"});
  return out.set("isGitRepo", git.ok())
      .set("isWorktree", is_worktree)
      .set("branchName", git ? orNullText(currentBranch(git.value())) : Json())
      .set("baseBranch", orNullText(base))
      .set("defaultBranch", git ? orNullText(defaultBranch(git.value())) : Json());
}

Result<Json> Places::create(const PlaceWish& wish) const {
  if (wish.type == "unmanaged") {
    std::error_code failure;
    if (!fs::path(wish.path).is_absolute() || !fs::is_directory(wish.path, failure)) {
      return Error{
          errc::kNotFound,
          fmt::format("there is no folder {}; put it back, or choose another one", wish.path)};
    }
    return facts(wish.path, false, {});
  }
  if (wish.type == "managed-worktree") {
    return createWorktree(wish);
  }
  const auto folder = ownFolder(wish);
  if (!folder || wish.type != "personal") {
    return folder ? Error{errc::kInvalidInput, "workspace: its type is unknown"} : folder.error();
  }
  if (auto made = base::makePrivateDirectory(folder.value()); !made) {
    return std::move(made).error();
  }
  return facts(folder.value(), true, {});
}

Result<Json> Places::createWorktree(const PlaceWish& wish) const {
  const auto folder = ownFolder(wish);
  if (!folder) {
    return folder.error();
  }
  // A git that outlives its daemon is ended by the next one, before it looks at what is there.
  const auto mark = marks_.add();
  if (!mark) {
    return mark.error();
  }
  auto marked = environment_;
  marked[base::kProcessMark] = mark.value();
  auto made = makeWorktree(wish, folder.value(), marked);
  marks_.remove(mark.value());
  return made;
}

Result<Json> Places::makeWorktree(const PlaceWish& wish, const fs::path& folder,
                                  const base::Environment& environment) const {
  const auto checkout = Git::open(wish.project_path, environment, stop_);
  if (!checkout) {
    return checkout.error().code == kNotRepository
               ? Error{errc::kConflict, checkout.error().message +
                                            ", so it has no worktrees; use its folder in place"}
               : checkout.error();
  }
  const auto& git = checkout.value();
  const auto base = wish.base_branch.empty() ? defaultBase(git) : wish.base_branch;
  removeHalfMade(git, folder);
  removeLocksOf(git, wish.branch_name);
  if (const auto there = Git::open(folder, environment_, stop_);
      there && currentBranch(there.value()) == wish.branch_name) {
    return facts(folder, true, base);
  }
  for (auto check : {git.checkWritable(), checkBranchName(git, wish.branch_name),
                     base::makePrivateDirectory(folder.parent_path())}) {
    if (!check) {
      return std::move(check).error();
    }
  }
  const auto commit = branchCommit(git, base);
  if (commit.empty()) {
    return noBase(git, base);
  }
  // What a try that came to no end has left is nobody's: it was never answered.
  (void)git.ask({"worktree", "prune"});
  std::vector<std::string> add{"worktree", "add", "--quiet", "--force"};
  if (commitOf(git, "refs/heads/" + wish.branch_name).empty()) {
    add.insert(add.end(), {"--no-track", "-b", wish.branch_name, folder.string(), commit});
  } else {
    takeBranchFrom(folder.parent_path(), git, wish.branch_name, environment, stop_);
    add.insert(add.end(), {folder.string(), wish.branch_name});
  }
  const auto added = git.text(std::move(add));
  if (!added) {
    return added.error();
  }
  return facts(folder, true, base);
}

Result<Json> Places::remove(const PlaceWish& wish) const {
  if (wish.type == "unmanaged") {
    return removed();
  }
  if (wish.type == "managed-worktree") {
    return removeWorktree(wish);
  }
  const auto folder = ownFolder(wish);
  if (!folder) {
    return folder.error();
  }
  // What is in it is nowhere else.
  std::error_code failure;
  fs::remove(folder.value(), failure);
  if (failure == std::errc::directory_not_empty) {
    return kept("unsaved");
  }
  if (failure) {
    return Error{errc::kUnavailable, fmt::format("{} cannot be removed: {}",
                                                 folder.value().string(), failure.message())};
  }
  return removed();
}

Result<Json> Places::removeWorktree(const PlaceWish& wish) const {
  const auto folder = ownFolder(wish);
  if (!folder) {
    return folder.error();
  }
  std::error_code failure;
  if (!fs::exists(folder.value(), failure) && !failure) {
    return removed();
  }
  const auto there = Git::open(folder.value(), environment_, stop_);
  if (!there) {
    return there.error();
  }
  const auto& git = there.value();
  const auto because = workOnlyIn(git);
  if (!because) {
    return because.error();
  }
  if (!because.value().empty()) {
    return kept(because.value());
  }
  const auto branch = currentBranch(git);
  if (auto away = putAway(git); !away) {
    return std::move(away).error();
  }
  // Only the one that was made for it: another branch may be anybody's.
  if (const auto checkout = Git::open(wish.project_path, environment_, stop_);
      checkout && !branch.empty() && branch == wish.branch_name) {
    (void)checkout.value().ask({"branch", "-D", "--", branch});
  }
  deletePutAway(folder.value().parent_path(), stop_);
  return removed();
}

Result<Json> Places::runScript(const PlaceWish& wish, const std::string& name,
                               const base::Environment& variables) const {
  const auto none = Json::object().set("exitCode", 0).set("output", "");
  const auto folder = ownFolder(wish);
  if (!folder) {
    return folder.error();
  }
  const auto script = fs::path(wish.project_path) / ".svc" / name;
  std::error_code failure;
  if (wish.type != "managed-worktree" || !fs::is_regular_file(script, failure) ||
      ::access(script.c_str(), X_OK) != 0 || !fs::exists(folder.value(), failure)) {
    return none;
  }
  if (!runs_scripts_) {
    return Error{
        errc::kForbidden,
        fmt::format("this machine does not run .svc/{} of repositories (agents.enabled)", name)};
  }
  base::SpawnOptions program;
  program.argv = {script.string()};
  program.directory = folder.value();
  program.environment = environment_;
  for (const auto& [key, value] : variables) {
    (*program.environment)[key] = value;
  }
  const auto mark = marks_.add();
  if (!mark) {
    return mark.error();
  }
  (*program.environment)[base::kProcessMark] = mark.value();
  const auto outcome =
      runWatched(std::move(program), limits::kEnvScript, stop_, [](std::string_view) {});
  if (outcome && outcome.value().end != base::RunEnd::kExited) {
    // Also what has left its group. What a script that ends by itself leaves running, it has meant to.
    base::signalMarked(mark.value(), SIGKILL);
  }
  marks_.remove(mark.value());
  if (!outcome) {
    return outcome.error();
  }
  const auto& end = outcome.value();
  if (end.end == base::RunEnd::kTimeout) {
    return Error{
        errc::kTimeout,
        fmt::format(".svc/{} took longer than {} min (limit envScript); it said last: {}", name,
                    std::chrono::duration_cast<std::chrono::minutes>(limits::kEnvScript).count(),
                    end.tail)};
  }
  if (end.end == base::RunEnd::kInterrupted) {
    return Error{errc::kAborted, fmt::format(".svc/{} was cancelled", name)};
  }
  return Json::object()
      .set("exitCode", static_cast<std::int64_t>(end.status.shellCode()))
      .set("output", end.tail);
}

}  // namespace svc::worktrees
