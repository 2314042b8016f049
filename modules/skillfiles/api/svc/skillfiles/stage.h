#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/skillfiles/skill_tree.h"

namespace svc::skillfiles {

/// The bytes of one file of a tree.
using ReadFile = std::function<Result<std::string>(const SkillFile& file)>;

/// Writes a tree as the new directory `target`, whose parent is there; whoever looks sees nothing or all of it. What is read must have
/// the digest that the tree says. Links on the way are not followed. Blocks. `conflict` when `target` is there.
[[nodiscard]] Status writeTree(const std::filesystem::path& target, const SkillTree& tree,
                               const ReadFile& read);

/// A skill for an agent.
struct StagedSkill {
  std::string name;
  std::string description;
  SkillTree tree;
  ReadFile read;
};

/// The hash of a catalogue: of names and trees, in whatever order they come.
[[nodiscard]] std::string catalogueHash(
    const std::vector<std::pair<std::string, std::string>>& trees_by_name);

/// `<root>/<catalogue hash>/<name>/…` with `catalog.json`, made once and shared by who needs it. Blocks. Returns that directory.
[[nodiscard]] Result<std::filesystem::path> stageCatalogue(const std::filesystem::path& root,
                                                           const std::vector<StagedSkill>& skills);

/// Where the trees of the catalogues below `root` are, by digest. Whoever reads one looks whether it is still that. Blocks.
[[nodiscard]] std::map<std::string, std::filesystem::path> stagedTrees(
    const std::filesystem::path& root);

/// Removes what stageCatalogue() made below `root`, but for the catalogues that are in use. Blocks.
void removeStages(const std::filesystem::path& root, const std::vector<std::string>& used);

}  // namespace svc::skillfiles
