#include "skill_stages.h"

#include <utility>

namespace svc::providers {

Result<StagedSkills> SkillStages::stage(const std::vector<skillfiles::StagedSkill>& skills) {
  // One at a time: what is being made is used by nobody yet.
  const std::scoped_lock one(staging_);
  auto directory = skillfiles::stageCatalogue(root_, skills);
  if (!directory) {
    return std::move(directory).error();
  }
  const auto name = directory.value().filename().string();
  StagedSkills staged{.directory = std::move(directory).value()};
  for (const auto& skill : skills) {
    staged.skills.push_back(
        {skill.name, skill.description, (staged.directory / skill.name / "SKILL.md").string()});
  }
  std::vector<std::string> used;
  {
    const std::scoped_lock lock(mutex_);
    ++uses_[name];
    for (const auto& [each, count] : uses_) {
      used.push_back(each);
    }
  }
  staged.use = std::make_shared<Handle>([weak = weak_from_this(), name] {
    if (const auto self = weak.lock()) {
      const std::scoped_lock lock(self->mutex_);
      if (--self->uses_[name] == 0) {
        self->uses_.erase(name);
      }
    }
  });
  skillfiles::removeStages(root_, used);
  return staged;
}

}  // namespace svc::providers
