#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "svc/common/json.h"
#include "svc/kernel/result.h"
#include "svc/skillfiles/skill_tree.h"

namespace svc::skillfiles {

[[nodiscard]] std::string encodeBase64(std::string_view bytes);

/// A tree with its contents, as it travels: `{ok, files: [{path, executable, dataBase64}]}`. `conflict` when a file is not what the tree
/// says. Blocks.
[[nodiscard]] Result<std::string> packTree(const std::filesystem::path& directory,
                                           const SkillTree& tree);

struct UnpackedTree {
  /// With digests of what has arrived.
  SkillTree tree;
  std::map<std::string, std::string, std::less<>> contents;  ///< by path
};

/// The other way. `invalid_argument` when it is not of that form, names what is no path below a skill, or is beyond the limits of trees.
[[nodiscard]] Result<UnpackedTree> unpackTree(const common::Json& packed);

}  // namespace svc::skillfiles
