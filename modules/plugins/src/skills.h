#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/plugins/plugin_record.h"

namespace svc::plugins {

struct Skill {
  std::string name;
  std::string description;
};

struct SkillScan {
  std::vector<Skill> skills;      ///< by root order, then by name
  std::vector<Problem> problems;  ///< skills that are skipped, and why
};

/// Finds `<root>/<name>/SKILL.md` below the roots, which are relative to the plugin. A missing root has no skills.
/// Blocks.
[[nodiscard]] SkillScan scanSkills(const std::filesystem::path& plugin_root,
                                   const std::vector<std::string>& skill_roots);

/// Name and description of a SKILL.md: the block between two lines `---` at its top. Only one-line values, quoted ones,
/// and block texts (`>`, `|`) are read. `directory` is the name it must have.
[[nodiscard]] Result<Skill> parseSkill(std::string_view text, std::string_view directory);

}  // namespace svc::plugins
