#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::skillfiles {

/// What `svc skill sync` keeps in a folder of skills: which of them it wrote, and how they were. Nobody else writes it.
struct SyncManifest {
  static constexpr std::string_view kFileName = ".svc-skills.json";
  static constexpr std::size_t kMaxBytes = 4UL * 1024 * 1024;

  /// Digests of the trees that are its own, by name of the skill. Two while one replaces the other.
  std::map<std::string, std::vector<std::string>, std::less<>> trees;

  [[nodiscard]] bool owns(std::string_view name, std::string_view tree) const;
  /// `invalid_argument` for text that is no manifest of a version that is known.
  [[nodiscard]] static Result<SyncManifest> parse(std::string_view text);
  [[nodiscard]] std::string dump() const;
};

}  // namespace svc::skillfiles
