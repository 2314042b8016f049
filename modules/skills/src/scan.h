#pragma once

#include <vector>

#include "svc/plugins/assets.h"
#include "svc/skills/skills.h"

#include "roots.h"

namespace svc::skills {

/// Skills of a folder that somebody else has read.
struct ReadSkills {
  std::vector<Skill> skills{};
  std::vector<SkillProblem> problems{};
};

/// What a catalogue is made of.
struct ScanInput {
  std::vector<Root> roots;
  /// Of plugins that are on, by plugin id.
  std::vector<plugins::PluginSkill> plugins;
  /// Of a project on another machine.
  ReadSkills read{};
};

/// Reads every tree. Blocks.
[[nodiscard]] Catalogue scan(ScanInput input);

}  // namespace svc::skills
