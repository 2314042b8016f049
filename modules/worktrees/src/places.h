#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "svc/base/environment.h"
#include "svc/base/process_marks.h"
#include "svc/common/json.h"

#include "git.h"

namespace svc::worktrees {

/// A folder that threads work in, as the server asks for it.
struct PlaceWish {
  std::string environment_id;
  std::string type;            ///< "unmanaged", "managed-worktree" or "personal"
  std::string path{};          ///< of an unmanaged one
  std::string project_path{};  ///< the checkout that a worktree belongs to
  std::string branch_name{};   ///< that of a worktree, which is made for it
  std::string base_branch{};   ///< empty = the default
};

/// Folders of environments below a directory of the daemon. Blocking; one at a time for each environment.
class Places {
 public:
  Places(std::filesystem::path directory, base::Environment environment, std::stop_token stop,
         bool runs_scripts = true)
      : directory_(std::move(directory)),
        marks_(marksBelow(directory_)),
        environment_(std::move(environment)),
        stop_(std::move(stop)),
        runs_scripts_(runs_scripts) {}

  /// Of scripts that run, by which the next daemon ends what is left of them when this one is killed.
  [[nodiscard]] static base::ProcessMarks marksBelow(const std::filesystem::path& directory) {
    return base::ProcessMarks(directory / "scripts");
  }

  /// { path, ownsPath, isGitRepo, isWorktree, branchName, baseBranch, defaultBranch }; the same for one that is there already.
  [[nodiscard]] Result<common::Json> create(const PlaceWish& wish) const;
  /// { removed, keptBecause? }: what workOnlyIn() says, or "unsaved" of a personal one. What is gone already is removed. An unmanaged folder is never touched.
  [[nodiscard]] Result<common::Json> remove(const PlaceWish& wish) const;
  /// Runs `.svc/<name>` of the checkout in the worktree when it is there and executable. { exitCode, output }; exitCode 0 without one.
  /// `forbidden` when there is one and no script may run.
  [[nodiscard]] Result<common::Json> runScript(const PlaceWish& wish, const std::string& name,
                                               const base::Environment& variables) const;

 private:
  [[nodiscard]] Result<std::filesystem::path> ownFolder(const PlaceWish& wish) const;
  [[nodiscard]] Result<common::Json> createWorktree(const PlaceWish& wish) const;
  [[nodiscard]] Result<common::Json> makeWorktree(const PlaceWish& wish,
                                                  const std::filesystem::path& folder,
                                                  const base::Environment& environment) const;
  [[nodiscard]] Result<common::Json> removeWorktree(const PlaceWish& wish) const;
  [[nodiscard]] common::Json facts(const std::filesystem::path& path, bool owns,
                                   const std::string& base) const;

  const std::filesystem::path directory_;
  const base::ProcessMarks marks_;
  const base::Environment environment_;
  const std::stop_token stop_;
  const bool runs_scripts_;
};

}  // namespace svc::worktrees
