#pragma once

#include <string>

#include "svc/machines/host_registry.h"
#include "svc/skills/skills.h"

#include "machine_commands.h"
#include "project_registry.h"

namespace svc::projects {

/// Where the skills of a project are: in its folder on the server's own machine, which the server reads, or in that of another machine,
/// which is asked. Thread-safe.
class SkillFolders final : public skills::IProjectFolders {
 public:
  SkillFolders(const ProjectRegistry& registry, const machines::IHostRegistry& machines,
               const MachineCommands& commands)
      : registry_(registry), machines_(machines), commands_(commands) {}

  void find(std::string project_id, std::string environment_id,
            Completion<skills::Place> done) override;

 private:
  [[nodiscard]] Result<skills::Place> placeOf(const std::string& project_id,
                                              const std::string& environment_id) const;

  const ProjectRegistry& registry_;
  const machines::IHostRegistry& machines_;
  const MachineCommands commands_;
};

}  // namespace svc::projects
