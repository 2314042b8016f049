#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "svc/common/json.h"

namespace svc::skillfiles {

/// What stands between the two lines `---` at the top of a SKILL.md.
struct FrontMatter {
  /// An object in the order of the file: the whole YAML as JSON. Plain scalars are read as YAML 1.2 says (`yes` is text).
  common::Json values = common::Json::object();
  /// The line of each top-level key in the file, from 1.
  std::map<std::string, int, std::less<>> lines;
  /// Where the text begins that follows: its offset and its line.
  std::size_t body_offset = 0;
  int body_line = 1;
  /// Its YAML was only readable after values with colons had been quoted.
  bool repaired = false;

  /// 0 for a key that is not there.
  [[nodiscard]] int lineOf(std::string_view key) const;
};

struct FrontMatterProblem {
  int line = 1;
  std::string message;
};

/// `kColons` reads `description: Use when: x`, which is no YAML but common.
enum class Repair : bool { kNothing, kColons };

/// Bounded in bytes, depth and number of values; anchors, aliases and tags are refused, so nothing grows while it is read.
[[nodiscard]] std::variant<FrontMatter, FrontMatterProblem> readFrontMatter(std::string_view text,
                                                                            Repair repair);

}  // namespace svc::skillfiles
