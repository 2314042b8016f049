#include "half_made.h"

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/base/text.h"

#include "branches.h"

namespace svc::worktrees {
namespace {

namespace fs = std::filesystem;

/// Empty when there is none.
std::string smallFile(const fs::path& path) {
  constexpr std::size_t kMost = 4'096;
  const auto text = base::readFile(path, kMost);
  return text ? std::string(base::trimmed(text.value())) : std::string();
}

fs::path directoryOf(const Git& git, const char* which) {
  return git.line({"rev-parse", "--path-format=absolute", which});
}

/// git locks a worktree with this word until it is whole, and notes where it is right after that, before anything else.
bool isHalfMade(const fs::path& administration, const fs::path& folder) {
  const auto place = smallFile(administration / "gitdir");
  std::error_code ignored;
  return place.empty() ? administration.filename() == folder.filename() &&
                             !fs::exists(administration / "HEAD", ignored)
                       : place == (folder / ".git").string() &&
                             smallFile(administration / "locked") == "initializing";
}

}  // namespace

void removeLocksOf(const Git& git, const std::string& branch) {
  std::error_code ignored;
  if (const auto shared = directoryOf(git, "--git-common-dir");
      !shared.empty() && commitOf(git, "refs/heads/" + branch).empty()) {
    fs::remove(shared / "refs/heads" / (branch + ".lock"), ignored);
  }
  const auto lock = directoryOf(git, "--git-dir") / "HEAD.lock";
  if (smallFile(lock) == "ref: refs/heads/" + branch) {
    fs::remove(lock, ignored);
  }
}

void removeHalfMade(const Git& git, const fs::path& folder) {
  std::error_code ignored;
  const auto shared = directoryOf(git, "--git-common-dir");
  if (shared.empty()) {
    return;
  }
  for (const auto& entry : fs::directory_iterator(shared / "worktrees", ignored)) {
    if (!isHalfMade(entry.path(), folder)) {
      continue;
    }
    const bool has_folder = !smallFile(entry.path() / "gitdir").empty();
    // The folder first: without it the rest is still known for what it is.
    if (has_folder) {
      fs::remove_all(folder, ignored);
    }
    fs::remove_all(entry.path(), ignored);
  }
}

bool isUntouched(const Git& git, const std::string& branch, const std::string& commit) {
  const auto name = "refs/heads/" + branch;
  const auto history = git.text({"reflog", "show", "--format=%gs", name, "--"});
  return !commit.empty() && commitOf(git, name) == commit && history &&
         base::trimmed(history.value()) == "branch: Created from " + commit;
}

bool isLike(const Git& git, const std::string& commit) {
  for (const auto* which : {"--cached", "--quiet"}) {
    const auto compared = git.ask(
        {"diff", "--quiet", which, "--no-ext-diff", "--no-textconv", "--no-renames", commit, "--"});
    if (!compared || compared.value().code != 0) {
      return false;
    }
  }
  return true;
}

}  // namespace svc::worktrees
