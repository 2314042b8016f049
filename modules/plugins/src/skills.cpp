#include "skills.h"

#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/skillfiles/skill.h"

#include "plugin_files.h"

namespace svc::plugins {
namespace {

namespace fs = std::filesystem;

void scanRoot(const fs::path& path, const std::string& shown, std::set<std::string>& names,
              SkillScan& out) {
  auto folder = skillfiles::loadSkills(path, skillfiles::Rules::kContract);
  for (const auto& problem : folder.problems) {
    out.problems.push_back(
        {"invalid_skill", problem.path.empty()
                              ? problem.message
                              : fmt::format("skill {}/{}{}: {}", shown, problem.path,
                                            problem.used ? "" : " is skipped", problem.message)});
  }
  for (auto& skill : folder.skills) {
    auto& head = skill.head;
    if (!names.insert(head.name).second) {
      out.problems.push_back(
          {"invalid_skill",
           fmt::format("skill {}/{} is skipped: another skill of this plugin has the name already",
                       shown, head.name)});
      continue;
    }
    out.skills.push_back(
        {std::move(head.name), std::move(head.description), std::move(skill.directory)});
  }
}

}  // namespace

SkillScan scanSkills(const fs::path& plugin_root, const std::vector<std::string>& skill_roots) {
  SkillScan out;
  std::set<std::string> names;
  for (const auto& root : skill_roots) {
    std::error_code failure;
    const auto path = plugin_root / root;
    if (!fs::exists(path, failure)) {
      continue;
    }
    if (!isInside(plugin_root, path)) {
      out.problems.push_back(
          {"invalid_skill",
           fmt::format("svc.skills: \"{}\" is a link that leaves the plugin directory", root)});
      continue;
    }
    scanRoot(path, root, names, out);
  }
  return out;
}

}  // namespace svc::plugins
