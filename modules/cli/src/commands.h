#pragma once

#include <memory>
#include <vector>

#include "svc/plugins/plugins.h"

#include "command_table.h"
#include "skill_writer.h"

namespace svc::cli {

/// The command table and what follows from it. Lives on the main thread.
class Commands {
 public:
  Commands(plugins::ILoadedPlugins& loaded, std::shared_ptr<SkillWriter> skill)
      : table_(loaded), skill_(std::move(skill)) {}

  void recordsChanged(const std::vector<plugins::PluginRecord>& records);
  /// The current commands; rewrites the skill when they changed.
  std::vector<Command> refresh();

 private:
  CommandTable table_;
  std::shared_ptr<SkillWriter> skill_;
};

}  // namespace svc::cli
