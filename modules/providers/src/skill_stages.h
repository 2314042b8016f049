#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"
#include "svc/skillfiles/stage.h"

namespace svc::providers {

/// A skill as an agent is told of it.
struct OfferedSkill {
  std::string name;
  std::string description;
  std::string file;  ///< absolute path of its SKILL.md
};

struct StagedSkills {
  std::filesystem::path directory{};  ///< empty = none
  std::vector<OfferedSkill> skills{};
  std::shared_ptr<Handle> use{};  ///< the stage stays until it is let go
};

/// Catalogues of skills as folders on the server's machine. Those that nobody uses go when another one is staged, and at a start.
/// Thread-safe; stage() blocks.
class SkillStages : public std::enable_shared_from_this<SkillStages> {
 public:
  explicit SkillStages(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] Result<StagedSkills> stage(const std::vector<skillfiles::StagedSkill>& skills);

 private:
  const std::filesystem::path root_;
  std::mutex staging_;
  std::mutex mutex_;
  std::map<std::string, int> uses_;  ///< by the name of the folder
};

}  // namespace svc::providers
