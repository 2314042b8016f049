#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/result.h"
#include "svc/skillfiles/skill_tree.h"

namespace svc::skillfiles {

inline constexpr std::string_view kSkillFile = "SKILL.md";

/// Lower-case words joined by single "-", at most lim.skill.name.
[[nodiscard]] bool isSkillName(std::string_view name);
/// The same without that limit: what folders of people may have, as far as a directory can be called so.
[[nodiscard]] bool isUsableSkillName(std::string_view name);

/// How much of what authors get wrong is let pass.
enum class Rules : std::uint8_t {
  kContract,  ///< of plugins: the name is that of the folder, the description within lim.skill
  kLenient,  ///< of folders that people and other programs fill: what can be used is used, with a warning
};

/// What a SKILL.md says about its skill.
struct SkillHead {
  std::string name;
  std::string description;
  common::Json front_matter;
  std::vector<std::string> warnings;  ///< with Rules::kLenient
};

/// `directory` is the name of the folder. `invalid_argument` with what is wrong.
[[nodiscard]] Result<SkillHead> parseSkill(std::string_view text, std::string_view directory,
                                           Rules rules = Rules::kContract);

/// One skill on disk.
struct LoadedSkill {
  SkillHead head;
  std::filesystem::path directory;
  SkillTree tree;
};

/// A folder that is not used, or used with a remark.
struct SkippedSkill {
  std::string path;  ///< as shownName()
  std::string message;
  bool used = false;
};

struct SkillFolder {
  std::vector<LoadedSkill> skills;  ///< ascending by folder name
  std::vector<SkippedSkill> problems;
};

/// A folder with its whole tree. Blocks. `invalid_argument` with what is wrong.
[[nodiscard]] Result<LoadedSkill> loadSkill(const std::filesystem::path& directory, Rules rules);

/// Every `<root>/<name>/SKILL.md`. A root that is not there has no skills. Blocks.
[[nodiscard]] SkillFolder loadSkills(const std::filesystem::path& root, Rules rules);
/// As loadSkills(), without the copies that `svc skill sync` keeps there: their skills come from elsewhere.
[[nodiscard]] SkillFolder loadOwnSkills(const std::filesystem::path& root, Rules rules);

}  // namespace svc::skillfiles
