#pragma once

#include <string>

#include "svc/machines/host_registry.h"
#include "svc/skills/skills.h"

#include "project_registry.h"

namespace svc::projects {

/// Where the skills of a project are: in its folder on the server's own machine, which the server reads. Thread-safe.
class SkillFolders final : public skills::IProjectFolders {
 public:
  SkillFolders(const ProjectRegistry& registry, const machines::IHostRegistry& machines)
      : registry_(registry), machines_(machines) {}

  void find(std::string project_id, std::string environment_id,
            Completion<std::filesystem::path> done) override;

 private:
  [[nodiscard]] Result<std::filesystem::path> folderOf(const std::string& project_id,
                                                       const std::string& environment_id) const;

  const ProjectRegistry& registry_;
  const machines::IHostRegistry& machines_;
};

}  // namespace svc::projects
