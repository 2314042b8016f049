#pragma once

#include <filesystem>
#include <mutex>
#include <string>

#include "svc/kernel/result.h"
#include "svc/skills/skills.h"

namespace svc::skills {

/// The edits that people make through the service. Thread-safe; blocks.
class Changes {
 public:
  struct Saved {
    std::filesystem::path file;
    std::string revision;
  };

  /// Writes SKILL.md as a whole. `conflict` when the one on disk has another revision (details {revision}), `invalid_input` when the
  /// text is no skill of this name, `forbidden` for a skill that is not manageable().
  [[nodiscard]] Result<Saved> update(const Skill& skill, const std::string& text,
                                     const std::string& revision);
  /// Removes the folder; returns it.
  [[nodiscard]] Result<std::filesystem::path> remove(const Skill& skill);

 private:
  /// Between looking at what is there and replacing it nobody else does.
  std::mutex mutex_;
};

}  // namespace svc::skills
