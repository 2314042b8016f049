#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "svc/kernel/result.h"

#include "skill_sync.h"

// The directory of one skill, which is there as a whole or not at all.
namespace svc::client {

enum class Presence : std::uint8_t { kNothing, kTree, kOther };

/// What is at the place of a skill.
struct FoundSkill {
  Presence presence = Presence::kNothing;
  std::string tree{};  ///< digest
};

[[nodiscard]] FoundSkill skillAt(const std::filesystem::path& place);

/// Writes the tree of a skill as a new directory.
[[nodiscard]] Status writeSkill(const std::filesystem::path& place, const OfferedSkill& skill,
                                const FetchTree& fetch);

/// Replaces a skill whose tree `may_go`; what somebody has put there in the meantime comes back (false).
[[nodiscard]] Result<bool> replaceSkill(const std::filesystem::path& place,
                                        const OfferedSkill& skill, const FetchTree& fetch,
                                        const std::function<bool(const FoundSkill&)>& may_go);

/// A name for what has lost its place.
[[nodiscard]] std::filesystem::path oldSkill(const std::filesystem::path& folder);
/// Removes what runs have left in the folder that did not come to their end.
void removeLeftovers(const std::filesystem::path& folder);
void removeTree(const std::filesystem::path& path);

/// Of the last system call.
[[nodiscard]] Error cannotDo(std::string_view doing, const std::filesystem::path& path);

}  // namespace svc::client
