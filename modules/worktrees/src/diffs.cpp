#include "diffs.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/worktrees.h"
#include "svc/hostprotocol/base64.h"

#include "branches.h"

namespace svc::worktrees {
namespace {

using common::Json;

/// Files whose patches come at once, and how long those may be: what is on the first screen.
constexpr std::size_t kInitialPatches = 20;
constexpr std::int64_t kAutoLines = 500;

struct Patch {
  std::string text;
  bool truncated = false;
  /// Files that it has in part, or not byte by byte: git would make others of them.
  std::vector<std::string> left_out{};
};

/// Up to the last whole line below the limit.
void cutLines(Patch& patch, std::size_t limit) {
  if (patch.text.size() > limit) {
    patch.text.resize(limit);
    patch.truncated = true;
  }
  if (patch.truncated) {
    patch.text.resize(std::min(patch.text.rfind('\n') + 1, patch.text.size()));
  }
}

/// In quotes as git has it when a name would not stay on its line.
std::string quoted(const std::string& name) {
  std::string out;
  bool plain = true;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
      plain = false;
    } else if (byte < ' ' || c == '\x7F') {
      out += fmt::format("\\{:03o}", byte);
      plain = false;
    } else {
      out += c;
    }
  }
  return plain ? name : "\"" + out + "\"";
}

/// What git would say of a file that it knew.
Patch newFilePatch(const Git& git, const Change& change, std::size_t limit) {
  const auto content = readInFolder(git.folder(), change.path, limit);
  const auto from = quoted("a/" + change.path);
  const auto to = quoted("b/" + change.path);
  Patch patch;
  const char* mode = content && content.value().is_link      ? "120000"
                     : content && content.value().executable ? "100755"
                                                             : "100644";
  patch.text = fmt::format("diff --git {} {}\nnew file mode {}\n", from, to, mode);
  if (!content) {
    patch.truncated = content.error().code == errc::kTooLarge;
    patch.left_out.push_back(change.path);
    return patch;
  }
  const auto& bytes = content.value().bytes;
  if (isBinary(bytes)) {
    patch.text += fmt::format("Binary files /dev/null and {} differ\n", to);
    return patch;
  }
  if (bytes.empty()) {
    return patch;
  }
  const bool ends = bytes.back() == '\n';
  const auto lines = std::count(bytes.begin(), bytes.end(), '\n') + (ends ? 0 : 1);
  patch.text += fmt::format("--- /dev/null\n+++ {}\n@@ -0,0 +1{} @@\n", to,
                            lines == 1 ? std::string() : fmt::format(",{}", lines));
  for (std::size_t at = 0; at < bytes.size();) {
    const auto end = std::min(bytes.find('\n', at), bytes.size());
    patch.text += '+';
    patch.text.append(bytes, at, end - at);
    patch.text += '\n';
    at = end + 1;
  }
  if (!ends) {
    patch.text += "\\ No newline at end of file\n";
  }
  cutLines(patch, limit);
  if (patch.truncated) {
    patch.left_out.push_back(change.path);
  }
  return patch;
}

Result<Patch> trackedPatch(const Git& git, const Range& range, const Change& change) {
  auto arguments = diffArguments(range, {"--patch"});
  if (!change.previous.empty()) {
    arguments.push_back(change.previous);
  }
  arguments.push_back(change.path);
  auto answer = git.ask(std::move(arguments), {.output = limits::kDiffPatch});
  if (!answer) {
    return std::move(answer).error();
  }
  if (answer.value().code != 0 && !answer.value().cut) {
    return gitFailure(git.folder(), answer.value());
  }
  Patch patch{.text = std::move(answer.value().out), .truncated = answer.value().cut};
  cutLines(patch, limits::kDiffPatch);
  return patch;
}

Result<Json> patchJson(const Git& git, const Range& range, const Change& change) {
  auto patch = change.untracked ? Result<Patch>(newFilePatch(git, change, limits::kDiffPatch))
                                : trackedPatch(git, range, change);
  if (!patch) {
    return std::move(patch).error();
  }
  return Json::object()
      .set("path", change.path)
      .set("patch", std::move(patch.value().text))
      .set("truncated", patch.value().truncated);
}

const char* changeKind(const Change& change) {
  switch (change.status) {
    case 'A':
      return "added";
    case 'C':
      return "copied";
    case 'D':
      return "deleted";
    case 'R':
      return "renamed";
    case 'T':
      return "type_changed";
    default:
      return "modified";
  }
}

const char* loadMode(const Change& change) {
  if (change.untracked && !change.additions && !change.binary) {
    return "too_large";
  }
  return change.binary || change.additions.value_or(0) + change.deletions.value_or(0) > kAutoLines
             ? "on_demand"
             : "auto";
}

Json stringOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

/// A line for each file, its status first, as git lists them.
std::string nameStatus(const Changes& changes) {
  std::string out;
  for (const auto& change : changes.files) {
    out += change.status;
    out += '\t' + (change.previous.empty() ? std::string() : quoted(change.previous) + '\t') +
           quoted(change.path) + '\n';
  }
  return out;
}

Json changeJson(const Change& change) {
  return Json::object()
      .set("path", change.path)
      .set("previousPath", stringOrNull(change.previous))
      .set("changeKind", changeKind(change))
      .set("origin", change.untracked ? "untracked" : "tracked")
      .set("additions", change.additions.value_or(0))
      .set("deletions", change.deletions.value_or(0))
      .set("binary", change.binary)
      .set("loadMode", loadMode(change));
}

/// The file that a line "diff --git a/… b/…" begins, as git writes it.
std::string fileOf(std::string_view line) {
  const bool is_quoted = line.ends_with('"');
  const std::string_view before = is_quoted ? " \"b/" : " b/";
  const auto at = line.rfind(before);
  const auto name = at == std::string_view::npos ? line : line.substr(at + before.size());
  return std::string(is_quoted ? name.substr(0, name.size() - 1) : name);
}

/// Adds files of which git says only that they differ, and those with text that is not UTF-8, which no answer carries.
void addUnspeakable(Patch& patch) {
  std::string file;
  bool told = false;
  const std::string_view text = patch.text;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = text.substr(at, end - at);
    if (line.starts_with("diff --git ")) {
      file = fileOf(line);
      told = false;
    }
    if (!told && (line.starts_with("Binary files ") || !common::isUtf8(line))) {
      patch.left_out.push_back(file);
      told = true;
    }
    at = end + 1;
  }
}

Result<Patch> wholePatch(const Git& git, const Range& range, const Changes& changes) {
  auto answer = git.ask(diffArguments(range, {"--patch"}));
  if (!answer) {
    return std::move(answer).error();
  }
  if (answer.value().code != 0 && !answer.value().cut) {
    return gitFailure(git.folder(), answer.value());
  }
  Patch patch{.text = std::move(answer.value().out), .truncated = answer.value().cut};
  for (const auto& change : changes.files) {
    if (!change.untracked || change.path.ends_with('/')) {
      continue;
    }
    if (patch.text.size() >= limits::kDiff) {
      patch.truncated = true;
      break;
    }
    const auto added = newFilePatch(git, change, limits::kDiff);
    patch.text += added.text;
    patch.truncated = patch.truncated || added.truncated;
    patch.left_out.insert(patch.left_out.end(), added.left_out.begin(), added.left_out.end());
  }
  if (patch.text.size() > limits::kDiff || answer.value().cut) {
    cutLines(patch, limits::kDiff);
  }
  patch.truncated = patch.truncated || changes.truncated;
  addUnspeakable(patch);
  return patch;
}

Result<std::string> blobAt(const Git& git, const std::string& tree, const std::string& path) {
  auto answer =
      git.ask({"cat-file", "blob", fmt::format("{}:./{}", tree, path)}, {.output = limits::kDiff});
  if (!answer) {
    return std::move(answer).error();
  }
  if (answer.value().cut) {
    return Error{errc::kTooLarge,
                 fmt::format("{} has more than {} bytes (limit diff)", path, limits::kDiff)};
  }
  if (answer.value().code != 0) {
    return Error{errc::kNotFound, fmt::format("there is no {} in {}", path, tree)};
  }
  return std::move(answer.value().out);
}

}  // namespace

Result<Json> diffOf(const Git& git, const Target& target) {
  const auto range = rangeOf(git, target);
  if (!range) {
    return range.error();
  }
  const auto changes = changesOf(git, range.value());
  if (!changes) {
    return changes.error();
  }
  auto patch = wholePatch(git, range.value(), changes.value());
  if (!patch) {
    return std::move(patch).error();
  }
  auto left_out = Json::array();
  for (auto& path : patch.value().left_out) {
    left_out.push(std::move(path));
  }
  return Json::object()
      .set("leftOut", std::move(left_out))
      .set("diff", std::move(patch.value().text))
      .set("files", nameStatus(changes.value()))
      .set("shortstat", shortstat(changes.value()))
      .set("mergeBaseRef", stringOrNull(range.value().merge_base))
      .set("truncated", patch.value().truncated);
}

Result<Json> diffFilesOf(const Git& git, const Target& target) {
  const auto range = rangeOf(git, target);
  if (!range) {
    return range.error();
  }
  const auto changes = changesOf(git, range.value());
  if (!changes) {
    return changes.error();
  }
  auto files = Json::array();
  auto patches = Json::array();
  for (const auto& change : changes.value().files) {
    auto record = changeJson(change);
    if (patches.items().size() < kInitialPatches &&
        record["loadMode"].asString() == std::string_view("auto")) {
      auto patch = patchJson(git, range.value(), change);
      if (!patch) {
        return patch;
      }
      patches.push(std::move(patch).value());
    }
    files.push(std::move(record));
  }
  return Json::object()
      .set("files", std::move(files))
      .set("initialPatches", std::move(patches))
      .set("mergeBaseRef", stringOrNull(range.value().merge_base))
      .set("shortstat", shortstat(changes.value()))
      .set("truncated", changes.value().truncated);
}

Result<Json> patchesOf(const Git& git, const Target& target,
                       const std::vector<std::string>& paths) {
  for (const auto& path : paths) {
    if (auto checked = checkRelative(path); !checked) {
      return std::move(checked).error();
    }
  }
  const auto range = rangeOf(git, target);
  if (!range) {
    return range.error();
  }
  const auto changes = changesOf(git, range.value());
  if (!changes) {
    return changes.error();
  }
  auto out = Json::array();
  const auto& files = changes.value().files;
  for (const auto& path : paths) {
    const auto found = std::find_if(files.begin(), files.end(),
                                    [&](const auto& each) { return each.path == path; });
    auto patch = found != files.end()
                     ? patchJson(git, range.value(), *found)
                     : Json::object().set("path", path).set("patch", "").set("truncated", false);
    if (!patch) {
      return patch;
    }
    out.push(std::move(patch).value());
  }
  return out;
}

Result<Json> diffFileOf(const Git& git, const Side& side) {
  if (auto checked = checkRelative(side.path); !checked) {
    return std::move(checked).error();
  }
  Range range;
  if (side.old && !side.merge_base_ref.empty()) {
    range.from = commitOf(git, side.merge_base_ref);
    if (range.from.empty()) {
      return Error{errc::kNotFound,
                   fmt::format("the repository has no commit \"{}\"", side.merge_base_ref)};
    }
  } else {
    auto found = rangeOf(git, side.target);
    if (!found) {
      return std::move(found).error();
    }
    range = std::move(found).value();
  }
  Result<std::string> bytes = std::string();
  if (side.old || range.to) {
    bytes = blobAt(git, side.old ? range.from : *range.to, side.path);
  } else if (auto content = readInFolder(git.folder(), side.path, limits::kDiff)) {
    bytes = std::move(content.value().bytes);
  } else {
    bytes = std::move(content).error();
  }
  if (!bytes) {
    return std::move(bytes).error();
  }
  const auto& content = bytes.value();
  const bool text = !isBinary(content) && common::isUtf8(content);
  return Json::object()
      .set("path", side.path)
      .set("content", text ? content : hostprotocol::encodeBase64(content))
      .set("contentEncoding", text ? "utf8" : "base64")
      .set("sizeBytes", static_cast<std::int64_t>(content.size()));
}

}  // namespace svc::worktrees
