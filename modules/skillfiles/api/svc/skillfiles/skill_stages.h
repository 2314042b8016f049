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

namespace svc::skillfiles {

/// A catalogue as a folder that somebody uses.
struct Stage {
  std::filesystem::path directory{};
  std::shared_ptr<Handle> use{};  ///< the folder stays until it is let go
};

/// Catalogues of skills as folders on this machine. Those that nobody uses go when another one is staged, and with removeUnused().
/// Thread-safe; everything blocks but for letting a stage go.
class SkillStages : public std::enable_shared_from_this<SkillStages> {
 public:
  explicit SkillStages(std::filesystem::path root) : root_(std::move(root)) {}

  [[nodiscard]] Result<Stage> stage(const std::vector<StagedSkill>& skills);
  void removeUnused();
  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  [[nodiscard]] std::vector<std::string> used();

  const std::filesystem::path root_;
  std::mutex staging_;
  std::mutex mutex_;
  std::map<std::string, int> uses_;  ///< by the name of the folder
};

}  // namespace svc::skillfiles
