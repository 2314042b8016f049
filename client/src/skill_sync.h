#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/skillfiles/tree_transfer.h"

namespace svc::client {

/// A skill of the server that belongs into a folder.
struct OfferedSkill {
  std::string name;
  std::string tree;  ///< digest
};

/// A tree by its digest.
using FetchTree = std::function<Result<skillfiles::UnpackedTree>(const std::string& digest)>;

enum class SkillAction : std::uint8_t {
  kAdded,
  kUpdated,
  kRemoved,
  kKept,      ///< it has the name of one that belongs here, but is not what this program wrote
  kReleased,  ///< it does not belong here any more, but was changed by hand: it is the user's now
  kFailed,
};
[[nodiscard]] std::string_view actionName(SkillAction action);

struct SkillChange {
  std::string name;
  SkillAction action;
  std::string why{};
};

struct FolderSync {
  std::filesystem::path base;    ///< the folder does not leave it through links
  std::filesystem::path folder;  ///< made when something belongs into it
  bool dry_run = false;
};

/// Makes a folder have these skills, and changes only what it wrote itself, as `.svc-skills.json` there remembers: what was changed by
/// hand stays. Each skill is replaced as a whole; ending at any moment leaves a folder that the next run understands. No link below the
/// folder is followed. Errors: the folder as a whole (`invalid_argument` a link that leaves the base, `conflict` another run is at
/// work, `unavailable`).
[[nodiscard]] Result<std::vector<SkillChange>> syncSkills(const FolderSync& where,
                                                          const std::vector<OfferedSkill>& skills,
                                                          const FetchTree& fetch);

/// Copies one skill to `<folder>/<name>`: kAdded, kUpdated (only with `replace`), or nothing to do (`why` is empty and the action kKept).
[[nodiscard]] SkillChange exportSkill(const std::filesystem::path& folder,
                                      const OfferedSkill& skill, const FetchTree& fetch,
                                      bool replace);

}  // namespace svc::client
