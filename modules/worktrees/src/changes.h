#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/common/limits/files.h"

#include "git.h"

namespace svc::worktrees {

/// What somebody wants to see: { type: "uncommitted" | "branch_committed" | "all" | "commit", mergeBaseBranch?, baseBranch?, sha? }
struct Target {
  std::string type = "uncommitted";
  std::string merge_base_branch{};  ///< empty = what comparisonBase() says
  std::string base_branch{};        ///< where the work began, where known
  std::string sha{};
};

/// `invalid_input` says what a target is.
[[nodiscard]] Result<Target> readTarget(const common::Json& target);

/// Two trees to be compared.
struct Range {
  std::string from;
  std::optional<std::string>
      to{};  ///< nothing = the files in the folder, with those that git does not know yet
  std::string
      merge_base{};  ///< the commit at which the branches part; empty when that is not asked
};

/// `not_found` for a branch or commit that is not there.
[[nodiscard]] Result<Range> rangeOf(const Git& git, const Target& target);

/// One file that is not the same.
struct Change {
  std::string path;        ///< relative to the folder
  std::string previous{};  ///< where it was before, of one that was renamed or copied
  char status = 'M';       ///< A, C, D, M, R, T or U, as git has them
  bool untracked = false;
  bool binary = false;
  /// Lines; nothing when they are not counted.
  std::optional<std::int64_t> additions{};
  std::optional<std::int64_t> deletions{};
};

struct Changes {
  std::vector<Change> files;  ///< those git knows, then the others; both ascending by path
  std::int64_t insertions = 0;
  std::int64_t deletions = 0;
  bool counted = true;     ///< whether the lines of all of them are
  bool truncated = false;  ///< there are more than limits::kListing
};

[[nodiscard]] Result<Changes> changesOf(const Git& git, const Range& range);
[[nodiscard]] Result<bool> hasUncommittedChanges(const Git& git);

/// "2 files changed, 3 insertions(+), 1 deletion(-)"
[[nodiscard]] std::string shortstat(const Changes& changes);
/// The FileStat of the contract.
[[nodiscard]] common::Json toFileStat(const Change& change);
[[nodiscard]] common::Json toFileStats(const Changes& changes);

/// Options of `git diff` that run nothing and are the same on every machine.
[[nodiscard]] std::vector<std::string> diffArguments(const Range& range,
                                                     const std::vector<std::string>& options);

/// Success for one that stays in the folder: relative, without "..".
[[nodiscard]] Status checkRelative(std::string_view path);

/// A file in the folder as git would store it. No link is followed; of a link its text is the content.
struct FileContent {
  std::string bytes;
  bool is_link = false;
  bool executable = false;
};
/// Errors: `not_found`, `invalid_input` (no file), `too_large`, `forbidden`.
[[nodiscard]] Result<FileContent> readInFolder(const std::filesystem::path& folder,
                                               std::string_view path, std::size_t limit);
[[nodiscard]] bool isBinary(std::string_view bytes);

}  // namespace svc::worktrees
