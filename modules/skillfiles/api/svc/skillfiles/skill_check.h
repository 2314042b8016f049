#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "svc/kernel/result.h"

namespace svc::skillfiles {

struct SkillIssue {
  enum class Severity : std::uint8_t { kError, kWarning };

  Severity severity = Severity::kError;
  std::string file;  ///< relative to the skill, as shownName(); "" = the folder itself
  int line = 0;      ///< from 1; 0 = the file as a whole
  std::string message;
};

/// Everything that publishing rules find in one skill, in the order of the file. Blocks. Error: the folder cannot be read at all.
[[nodiscard]] Result<std::vector<SkillIssue>> checkSkill(const std::filesystem::path& directory);

}  // namespace svc::skillfiles
