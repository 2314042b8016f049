#include "removed_worktrees.h"

#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/random.h"
#include "svc/base/text.h"
#include "svc/common/codes.h"
#include "svc/common/limits/worktrees.h"

#include "watched_run.h"

namespace svc::worktrees {
namespace {

namespace fs = std::filesystem;

/// A folder, so that whoever looks for worktrees beside it finds none.
fs::path removedBelow(const fs::path& worktrees) { return worktrees / ".removed"; }

/// What the repository keeps of this worktree alone. Empty when it has none there: the folder is in somebody else's repository, or in one
/// that was made in it.
fs::path administrationOf(const Git& git) {
  constexpr std::size_t kMost = 8'192;
  const fs::path directory = git.line({"rev-parse", "--absolute-git-dir"});
  const auto place = base::readFile(directory / "gitdir", kMost);
  std::error_code failure;
  return place && fs::equivalent(fs::path(std::string(base::trimmed(place.value()))),
                                 git.folder() / ".git", failure)
             ? directory
             : fs::path();
}

bool runs(std::vector<std::string> program, const std::stop_token& stop) {
  const auto ran =
      runWatched({.argv = std::move(program)}, limits::kEnvScript, stop, [](std::string_view) {});
  return ran && ran.value().end == base::RunEnd::kExited && ran.value().status.ok();
}

}  // namespace

Status putAway(const Git& git) {
  const auto& folder = git.folder();
  const auto administration = administrationOf(git);
  std::error_code failure;
  if (administration.empty()) {
    return Error{errc::kConflict,
                 fmt::format("{} is no worktree of its repository any more; look what is in it, "
                             "and remove it by hand",
                             folder.string())};
  }
  if (fs::exists(administration / "locked", failure)) {
    return Error{errc::kConflict, fmt::format("the worktree {} is locked; `git worktree unlock` it",
                                              folder.string())};
  }
  const auto removed = removedBelow(folder.parent_path());
  if (auto made = base::makePrivateDirectory(removed); !made) {
    return made;
  }
  // The same environment may have had one before.
  constexpr std::size_t kRandomBytes = 8;
  fs::rename(folder, removed / (folder.filename().string() + "." + base::randomHex(kRandomBytes)),
             failure);
  if (!failure) {
    fs::remove_all(administration, failure);
  }
  return failure
             ? Status(Error{errc::kUnavailable, fmt::format("{} cannot be removed: {}",
                                                            folder.string(), failure.message())})
             : Status();
}

void deletePutAway(const fs::path& worktrees, const std::stop_token& stop) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(removedBelow(worktrees), ignored)) {
    const auto path = entry.path().string();
    // A program, since it can be ended at any moment.
    if (!runs({"rm", "-rf", "--", path}, stop) && !stop.stop_requested()) {
      // Caches of packages have folders that nobody may write to.
      (void)runs({"chmod", "-R", "u+rwX", "--", path}, stop);
      (void)runs({"rm", "-rf", "--", path}, stop);
    }
  }
}

}  // namespace svc::worktrees
