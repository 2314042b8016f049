#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/limits/skills.h"
#include "svc/kernel/result.h"

namespace svc::skillfiles {

// Blocking. No link is ever followed and nothing but regular files and directories is opened, below the root that is given; the root
// itself must be a directory, not a link.

struct SkillFile {
  std::string path;  ///< relative, with '/'
  std::uint64_t size = 0;
  std::string digest{};  ///< SHA-256, 64 hex digits
  bool executable = false;
  friend bool operator==(const SkillFile&, const SkillFile&) = default;
};

struct SkillTree {
  std::vector<SkillFile> files;  ///< ascending by path, byte by byte
  std::uint64_t bytes = 0;
  /// Of names, contents and executable bits: the same wherever and whenever the tree is read.
  std::string digest;
};

/// Something in a tree that must not be there.
struct TreeProblem {
  std::string path;  ///< as shownName()
  std::string message;
  friend bool operator==(const TreeProblem&, const TreeProblem&) = default;
};

struct TreeReading {
  SkillTree tree;
  /// The first ones; the tree is only good without any.
  std::vector<TreeProblem> problems;
};

struct TreeLimits {
  std::size_t files = limits::kSkillTreeFiles;
  std::size_t bytes = limits::kSkillTreeBytes;
  std::size_t depth = limits::kSkillTreeDepth;
};

/// Reads every file. A tree that changes meanwhile is read again, a few times. What version control and file managers leave (`.git`,
/// `.DS_Store`) is no part of it. Error: `not_found`, `invalid_argument` (a link, no directory), `unavailable`.
[[nodiscard]] Result<TreeReading> readTree(const std::filesystem::path& root,
                                           const TreeLimits& limits = {});

/// The digest that readTree gives a tree of these files.
[[nodiscard]] std::string treeDigest(const std::vector<SkillFile>& files);

/// One file of a tree. `invalid_argument` for a path that is not isPlainPath(), for a link or a special file; `not_found`,
/// `too_large`, `unavailable`.
[[nodiscard]] Result<std::string> readTreeFile(const std::filesystem::path& root,
                                               std::string_view path,
                                               std::size_t limit = limits::kSkillTreeBytes);

/// SHA-256 as 64 hex digits.
[[nodiscard]] std::string digestOf(std::string_view bytes);

/// A relative path that stays inside: no empty, "." or ".." segment, UTF-8 without control characters.
[[nodiscard]] bool isPlainPath(std::string_view path);

/// A file name that came from a disk, harmless on a terminal and in JSON: control characters and bytes that are no UTF-8 as \xNN.
[[nodiscard]] std::string shownName(std::string_view name);

}  // namespace svc::skillfiles
