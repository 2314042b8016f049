#include "remote_skills.h"

#include <utility>

#include "roots.h"

namespace svc::skills {
namespace {

using common::Json;

skillfiles::SkillTree treeOf(const Json& skill) {
  skillfiles::SkillTree tree;
  for (const auto& file : skill["files"].items()) {
    const auto size = static_cast<std::uint64_t>(file["size"].asInteger());
    tree.files.push_back({.path = file["path"].asString(),
                          .size = size,
                          .digest = file["digest"].asString(),
                          .executable = file["executable"].asBool()});
    tree.bytes += size;
  }
  tree.digest = skillfiles::treeDigest(tree.files);
  return tree;
}

}  // namespace

ReadSkills readRemotely(const Json& answer, const RemoteProjectPtr& project) {
  ReadSkills read;
  for (const auto& root : projectRoots({})) {
    for (const auto& folder : answer["folders"].items()) {
      if (folder["folder"].asString() != root.path.string()) {
        continue;
      }
      for (const auto& problem : folder["problems"].items()) {
        read.problems.push_back({problem["path"].asString(), problem["message"].asString()});
      }
      for (const auto& skill : folder["skills"].items()) {
        read.skills.push_back({.id = {},
                               .name = skill["name"].asString(),
                               .description = skill["description"].asString(),
                               .scope = root.scope,
                               .provider = root.provider,
                               .directory = skill["directory"].asString(),
                               .remote = project,
                               .front_matter = skill["frontMatter"],
                               .tree = treeOf(skill)});
      }
    }
  }
  return read;
}

}  // namespace svc::skills
