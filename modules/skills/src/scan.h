#pragma once

#include <vector>

#include "svc/plugins/assets.h"
#include "svc/skills/skills.h"

#include "roots.h"

namespace svc::skills {

/// What a catalogue is made of.
struct ScanInput {
  std::vector<Root> roots;
  /// Of plugins that are on, by plugin id.
  std::vector<plugins::PluginSkill> plugins;
};

/// Reads every tree. Blocks.
[[nodiscard]] Catalogue scan(const ScanInput& input);

}  // namespace svc::skills
