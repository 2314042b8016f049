#include "svc/skillfiles/skill_stages.h"

#include <utility>

namespace svc::skillfiles {

Result<Stage> SkillStages::stage(const std::vector<StagedSkill>& skills) {
  // One at a time: what is being made is used by nobody yet.
  const std::scoped_lock one(staging_);
  auto directory = stageCatalogue(root_, skills);
  if (!directory) {
    return std::move(directory).error();
  }
  const auto name = directory.value().filename().string();
  {
    const std::scoped_lock lock(mutex_);
    ++uses_[name];
  }
  Stage stage{.directory = std::move(directory).value()};
  stage.use = std::make_shared<Handle>([weak = weak_from_this(), name] {
    if (const auto self = weak.lock()) {
      const std::scoped_lock lock(self->mutex_);
      if (--self->uses_[name] == 0) {
        self->uses_.erase(name);
      }
    }
  });
  removeStages(root_, used());
  return stage;
}

void SkillStages::removeUnused() {
  const std::scoped_lock one(staging_);
  removeStages(root_, used());
}

std::vector<std::string> SkillStages::used() {
  std::vector<std::string> names;
  const std::scoped_lock lock(mutex_);
  for (const auto& [name, count] : uses_) {
    names.push_back(name);
  }
  return names;
}

}  // namespace svc::skillfiles
