#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "svc/plugins/plugin_record.h"

namespace svc::plugins {

struct Skill {
  std::string name;
  std::string description;
  std::filesystem::path directory;
};

struct SkillScan {
  std::vector<Skill> skills;      ///< by root order, then by name
  std::vector<Problem> problems;  ///< skills that are skipped, and why
};

/// Finds `<root>/<name>/SKILL.md` below the roots, which are relative to the plugin. A missing root has no skills.
/// Blocks.
[[nodiscard]] SkillScan scanSkills(const std::filesystem::path& plugin_root,
                                   const std::vector<std::string>& skill_roots);

}  // namespace svc::plugins
