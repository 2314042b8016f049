#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "svc/base/environment.h"
#include "svc/base/fd.h"
#include "svc/common/limits/worktrees.h"
#include "svc/kernel/error.h"
#include "svc/kernel/result.h"

namespace svc::worktrees {

/// A folder that is in no repository, or whose repository has no working tree.
inline constexpr Errc kNotRepository{"not_git_repo"};

/// What has ended, however it has.
struct GitAnswer {
  int code = 0;
  std::string out;
  std::string err;
  /// There was more than the limit; `out` is the first of it.
  bool cut = false;
};

struct GitLimits {
  std::size_t output = limits::kDiff;
  std::chrono::milliseconds time = limits::kGit;
};

/// What git gets on this machine: nothing that asks, pages, or belongs to another repository.
[[nodiscard]] base::Environment gitEnvironment(const base::Environment& own,
                                               const std::string& path);
/// Options that go before every subcommand, so that a repository's own configuration starts nothing.
[[nodiscard]] const std::vector<std::string>& quietOptions();

/// git in one folder. The repository there may be anybody's: its hooks, monitors, external diffs, conversions and filters are not run,
/// and nothing is fetched. Blocks, for workers; each run has its limits. One thread.
class Git {
 public:
  /// Errors: `not_found` (the folder, or git itself), `forbidden` (also a repository of somebody else), kNotRepository.
  [[nodiscard]] static Result<Git> open(std::filesystem::path folder,
                                        const base::Environment& environment, std::stop_token stop);

  /// Whatever it says. Errors: `timeout`, `aborted`, `unavailable`.
  [[nodiscard]] Result<GitAnswer> ask(std::vector<std::string> arguments,
                                      const GitLimits& limits = {}, int in = -1) const;
  /// What it prints; a failure of it is an error with its words. `too_large` beyond the limit.
  [[nodiscard]] Result<std::string> text(std::vector<std::string> arguments,
                                         const GitLimits& limits = {}, int in = -1) const;
  /// Its first line; empty when it fails.
  [[nodiscard]] std::string line(std::vector<std::string> arguments) const;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Drivers of .gitattributes that the repository's own configuration would run. They are switched off: what they convert is seen as it
  /// is in the folder, and must not be written.
  [[nodiscard]] const std::vector<std::string>& filters() const { return filters_; }
  /// `conflict`, and what to do, when there are such filters.
  [[nodiscard]] Status checkWritable() const;

 private:
  Git(std::filesystem::path folder, base::Environment environment, std::stop_token stop)
      : folder_(std::move(folder)), environment_(std::move(environment)), stop_(std::move(stop)) {}
  [[nodiscard]] Status switchOffFilters();
  [[nodiscard]] Status checkRepository() const;

  std::filesystem::path folder_;
  base::Environment environment_;
  std::stop_token stop_;
  std::vector<std::string> filters_;
};

/// A file without a name, at its begin: what git reads.
[[nodiscard]] Result<base::Fd> inputOf(const std::string& text);

/// What went wrong, from git's last words.
[[nodiscard]] Error gitFailure(const std::filesystem::path& folder, const GitAnswer& answer);

/// The pieces between NULs.
[[nodiscard]] std::vector<std::string_view> nulSeparated(std::string_view text);

}  // namespace svc::worktrees
