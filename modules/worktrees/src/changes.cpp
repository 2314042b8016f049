#include "changes.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/files.h"
#include "svc/common/limits/worktrees.h"

#include "branches.h"

namespace svc::worktrees {
namespace {

using common::Json;

std::string emptyTree(const Git& git) {
  return git.line({"hash-object", "-t", "tree", "/dev/null"});
}

Error noSuchCommit(const Git& git, const std::string& name) {
  return {errc::kNotFound, fmt::format("the repository {} has no branch or commit \"{}\"",
                                       git.folder().string(), name)};
}

std::optional<std::int64_t> countOf(std::string_view text) {
  std::int64_t count = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  return failure == std::errc{} && end == text.data() + text.size() ? std::optional(count)
                                                                    : std::nullopt;
}

/// What git prints with --raw --numstat -z, piece by piece.
class Listed {
 public:
  explicit Listed(std::string_view text) : pieces_(nulSeparated(text)) {}

  std::map<std::string, Change> read() {
    while (at_ < pieces_.size()) {
      const auto piece = pieces_[at_++];
      if (piece.starts_with(':')) {
        readRaw(piece);
      } else {
        readCounts(piece);
      }
    }
    return std::move(changes_);
  }

 private:
  std::string next() { return at_ < pieces_.size() ? std::string(pieces_[at_++]) : std::string(); }

  /// ":100644 100644 <id> <id> R100", path, and where it was before that
  void readRaw(std::string_view piece) {
    const auto status = piece.substr(std::min(piece.rfind(' ') + 1, piece.size()));
    Change change;
    change.status = status.empty() ? 'M' : status.front();
    change.path = next();
    if (change.status == 'R' || change.status == 'C') {
      change.previous = std::exchange(change.path, next());
    }
    // A conflict may be told twice: as such, and as what the folder has.
    changes_.try_emplace(change.path, change);
  }

  /// "3\t1\tpath", or "3\t1\t", where it was before, path
  void readCounts(std::string_view piece) {
    const auto first = piece.find('\t');
    const auto second = first == std::string_view::npos ? first : piece.find('\t', first + 1);
    if (second == std::string_view::npos) {
      return;
    }
    std::string path(piece.substr(second + 1));
    if (path.empty()) {
      (void)next();
      path = next();
    }
    const auto found = changes_.find(path);
    if (found == changes_.end()) {
      return;
    }
    found->second.additions = countOf(piece.substr(0, first));
    found->second.deletions = countOf(piece.substr(first + 1, second - first - 1));
    found->second.binary = !found->second.additions;
  }

  std::vector<std::string_view> pieces_;
  std::size_t at_ = 0;
  std::map<std::string, Change> changes_;
};

void countLines(const Git& git, Change& change, std::size_t& budget) {
  const auto content =
      readInFolder(git.folder(), change.path, std::min(budget, limits::kDiffPatch));
  if (!content) {
    return;
  }
  const auto& bytes = content.value().bytes;
  budget -= bytes.size();
  change.binary = isBinary(bytes);
  if (!change.binary) {
    change.additions = std::count(bytes.begin(), bytes.end(), '\n') +
                       (!bytes.empty() && bytes.back() != '\n' ? 1 : 0);
    change.deletions = 0;
  }
}

Result<std::vector<Change>> untrackedOf(const Git& git, Changes& into) {
  const auto listed = git.ask({"ls-files", "--others", "--exclude-standard", "-z"});
  if (!listed) {
    return listed.error();
  }
  if (listed.value().code != 0 && !listed.value().cut) {
    return gitFailure(git.folder(), listed.value());
  }
  into.truncated = into.truncated || listed.value().cut;
  std::vector<Change> out;
  std::size_t budget = limits::kDiff;
  for (const auto piece : nulSeparated(listed.value().out)) {
    if (out.size() >= limits::kListing) {
      into.truncated = true;
      break;
    }
    Change change{.path = std::string(piece), .status = 'A', .untracked = true};
    // A repository in the repository is somebody else's.
    if (!change.path.ends_with('/')) {
      countLines(git, change, budget);
    }
    out.push_back(std::move(change));
  }
  return out;
}

/// A comparison with the last commit has conflicts as changes of the folder, or not at all where the folder has what that commit has.
Status markConflicts(const Git& git, std::map<std::string, Change>& known, Changes& into) {
  const auto listed = git.ask({"ls-files", "--unmerged", "-z"});
  if (!listed) {
    return listed.error();
  }
  if (listed.value().code != 0 && !listed.value().cut) {
    return gitFailure(git.folder(), listed.value());
  }
  into.truncated = into.truncated || listed.value().cut;
  for (const auto entry : nulSeparated(listed.value().out)) {
    // "100644 <id> 2\tpath", for each side that has the file
    if (const auto tab = entry.find('\t'); tab != std::string_view::npos) {
      const std::string path(entry.substr(tab + 1));
      // What no comparison has told of is as in the last commit.
      const auto found = known
                             .try_emplace(path, Change{.path = path,
                                                       .additions = std::int64_t{0},
                                                       .deletions = std::int64_t{0}})
                             .first;
      found->second.status = 'U';
    }
  }
  return {};
}

/// What git knows first, all by path: what is cut off of a long list is what nobody has added.
std::vector<Change> inOrder(std::map<std::string, Change> known, std::vector<Change> untracked) {
  std::erase_if(untracked, [&](const auto& each) { return known.contains(each.path); });
  std::sort(untracked.begin(), untracked.end(),
            [](const auto& left, const auto& right) { return left.path < right.path; });
  std::vector<Change> out;
  for (auto& [path, change] : known) {
    out.push_back(std::move(change));
  }
  std::move(untracked.begin(), untracked.end(), std::back_inserter(out));
  return out;
}

}  // namespace

Result<Target> readTarget(const Json& target) {
  Target out;
  const auto& type = target["type"].asString();
  out.type = type.empty() ? out.type : type;
  out.merge_base_branch = target["mergeBaseBranch"].asString();
  out.base_branch = target["baseBranch"].asString();
  out.sha = target["sha"].asString();
  if (out.type != "uncommitted" && out.type != "branch_committed" && out.type != "all" &&
      out.type != "commit") {
    return Error{errc::kInvalidInput,
                 "target: expected \"uncommitted\", \"branch_committed\", \"all\" or \"commit\""};
  }
  if (out.type == "commit" && out.sha.empty()) {
    return Error{errc::kInvalidInput, "target \"commit\" needs sha, the id of the commit"};
  }
  return out;
}

Result<Range> rangeOf(const Git& git, const Target& target) {
  if (target.type == "commit") {
    const auto commit = commitOf(git, target.sha);
    if (commit.empty()) {
      return noSuchCommit(git, target.sha);
    }
    auto parent = commitOf(git, commit + "^");
    return Range{.from = parent.empty() ? emptyTree(git) : std::move(parent), .to = commit};
  }
  auto head = headCommit(git);
  if (target.type == "uncommitted") {
    return Range{.from = head.empty() ? emptyTree(git) : std::move(head)};
  }
  const auto base = target.merge_base_branch.empty() ? comparisonBase(git, target.base_branch)
                                                     : target.merge_base_branch;
  const auto other = branchCommit(git, base);
  if (other.empty() && !(head.empty() && target.merge_base_branch.empty())) {
    return noSuchCommit(git, base);
  }
  auto parting = head.empty() ? std::string() : git.line({"merge-base", other, head});
  Range range{.from = parting.empty() ? emptyTree(git) : parting, .merge_base = parting};
  if (target.type == "branch_committed") {
    range.to = head.empty() ? range.from : head;
  }
  return range;
}

std::vector<std::string> diffArguments(const Range& range,
                                       const std::vector<std::string>& options) {
  std::vector<std::string> out{"diff",
                               "--no-ext-diff",
                               "--no-textconv",
                               "--no-color",
                               "--relative",
                               "--find-renames",
                               "--ignore-submodules=dirty",
                               "--submodule=short",
                               "--src-prefix=a/",
                               "--dst-prefix=b/"};
  out.insert(out.end(), options.begin(), options.end());
  out.push_back(range.from);
  if (range.to) {
    out.push_back(*range.to);
  }
  out.emplace_back("--");
  return out;
}

Result<Changes> changesOf(const Git& git, const Range& range) {
  const auto listed = git.ask(diffArguments(range, {"--raw", "--numstat", "-z"}));
  if (!listed) {
    return listed.error();
  }
  if (listed.value().code != 0 && !listed.value().cut) {
    return gitFailure(git.folder(), listed.value());
  }
  Changes out;
  out.truncated = listed.value().cut;
  auto known = Listed(listed.value().out).read();
  std::vector<Change> unknown;
  if (!range.to) {
    if (auto marked = markConflicts(git, known, out); !marked) {
      return std::move(marked).error();
    }
    auto untracked = untrackedOf(git, out);
    if (!untracked) {
      return std::move(untracked).error();
    }
    unknown = std::move(untracked).value();
  }
  out.files = inOrder(std::move(known), std::move(unknown));
  if (out.files.size() > limits::kListing) {
    out.files.resize(limits::kListing);
    out.truncated = true;
  }
  for (const auto& change : out.files) {
    out.insertions += change.additions.value_or(0);
    out.deletions += change.deletions.value_or(0);
    out.counted = out.counted && (change.binary || change.additions);
  }
  out.counted = out.counted && !out.truncated;
  return out;
}

Result<bool> hasUncommittedChanges(const Git& git) {
  const auto range = rangeOf(git, {});
  if (!range) {
    return range.error();
  }
  auto arguments = diffArguments(range.value(), {"--name-only", "-z"});
  const auto tracked = git.ask(std::move(arguments), {.output = 1});
  if (!tracked) {
    return tracked.error();
  }
  if (tracked.value().code != 0 && !tracked.value().cut) {
    return gitFailure(git.folder(), tracked.value());
  }
  if (!tracked.value().out.empty()) {
    return true;
  }
  const auto untracked =
      git.ask({"ls-files", "--others", "--exclude-standard", "-z"}, {.output = 1});
  if (!untracked) {
    return untracked.error();
  }
  return !untracked.value().out.empty();
}

std::string shortstat(const Changes& changes) {
  const auto counted = [](std::int64_t count, const char* one, const char* more) {
    return fmt::format("{} {}", count, count == 1 ? one : more);
  };
  if (changes.files.empty()) {
    return {};
  }
  auto text =
      counted(static_cast<std::int64_t>(changes.files.size()), "file changed", "files changed");
  if (changes.insertions > 0) {
    text += ", " + counted(changes.insertions, "insertion(+)", "insertions(+)");
  }
  if (changes.deletions > 0) {
    text += ", " + counted(changes.deletions, "deletion(-)", "deletions(-)");
  }
  return text;
}

Json toFileStat(const Change& change) {
  const auto number = [](const std::optional<std::int64_t>& count) {
    return count ? Json(*count) : Json();
  };
  const auto status = change.untracked       ? std::string("??")
                      : change.status == 'T' ? std::string("M")
                                             : std::string(1, change.status);
  return Json::object()
      .set("path", change.path)
      .set("status", status)
      .set("insertions", number(change.additions))
      .set("deletions", number(change.deletions));
}

Json toFileStats(const Changes& changes) {
  auto out = Json::array();
  for (const auto& change : changes.files) {
    out.push(toFileStat(change));
  }
  return out;
}

}  // namespace svc::worktrees
