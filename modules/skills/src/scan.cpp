#include "scan.h"

#include <algorithm>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/path_bounds.h"
#include "svc/skillfiles/skill.h"
#include "svc/skillfiles/stage.h"

namespace svc::skills {
namespace {

namespace fs = std::filesystem;

bool belongsToAProgram(Scope scope) {
  return scope == Scope::kProviderProject || scope == Scope::kProviderUser;
}

std::string idOf(const Skill& skill) {
  const auto& owner = skill.scope == Scope::kPlugin ? skill.plugin_id : skill.provider;
  return owner.empty() ? fmt::format("{}:{}", scopeName(skill.scope), skill.name)
                       : fmt::format("{}:{}:{}", scopeName(skill.scope), owner, skill.name);
}

class Scanner {
 public:
  Catalogue scan(ScanInput input) {
    catalogue_.problems = std::move(input.read.problems);
    for (auto& skill : input.read.skills) {
      add(std::move(skill));
    }
    for (const auto& root : input.roots) {
      addRoot(root);
    }
    for (const auto& plugin : input.plugins) {
      addPlugin(plugin);
    }
    auto& skills = catalogue_.skills;
    std::stable_sort(skills.begin(), skills.end(), [](const Skill& left, const Skill& right) {
      return left.scope < right.scope;
    });
    offer();
    return std::move(catalogue_);
  }

 private:
  void problem(std::string path, std::string message) {
    catalogue_.problems.push_back({std::move(path), std::move(message)});
  }

  /// Whether a folder was not looked at yet, through a link either, and is where it may be.
  bool isNew(const Root& root) {
    std::error_code failure;
    const auto real = fs::canonical(root.path, failure);
    if (failure) {
      return false;
    }
    if (!root.within.empty()) {
      const auto outer = fs::canonical(root.within, failure);
      if (failure || !base::isWithin(real.string(), outer.string())) {
        problem(skillfiles::shownName(root.path.string()), "it is a link that leaves the project");
        return false;
      }
    }
    return seen_.insert(real).second;
  }

  void addRoot(const Root& root) {
    if (!isNew(root)) {
      return;
    }
    auto folder = skillfiles::loadOwnSkills(root.path, skillfiles::Rules::kLenient);
    const auto shown = skillfiles::shownName(root.path.string());
    for (auto& each : folder.problems) {
      problem(each.path.empty() ? shown : shown + '/' + each.path, std::move(each.message));
    }
    for (auto& loaded : folder.skills) {
      add({.id = {},
           .name = std::move(loaded.head.name),
           .description = std::move(loaded.head.description),
           .scope = root.scope,
           .provider = root.provider,
           .directory = std::move(loaded.directory),
           .front_matter = std::move(loaded.head.front_matter),
           .tree = std::move(loaded.tree)});
    }
  }

  void addPlugin(const plugins::PluginSkill& plugin) {
    auto loaded = skillfiles::loadSkill(plugin.directory, skillfiles::Rules::kContract);
    if (!loaded) {
      problem(fmt::format("{}/{}", plugin.plugin_id, plugin.name), loaded.error().message);
      return;
    }
    auto& [head, directory, tree] = loaded.value();
    add({.id = {},
         .name = std::move(head.name),
         .description = std::move(head.description),
         .scope = Scope::kPlugin,
         .plugin_id = plugin.plugin_id,
         .directory = std::move(directory),
         .front_matter = std::move(head.front_matter),
         .tree = std::move(tree)});
  }

  void add(Skill skill) {
    skill.id = idOf(skill);
    if (!ids_.insert(skill.id).second) {
      problem(skillfiles::shownName(skill.directory.string()),
              fmt::format("another skill of that place is called \"{}\" already", skill.name));
      return;
    }
    catalogue_.skills.push_back(std::move(skill));
  }

  /// The strongest of each name.
  void offer() {
    std::map<std::string, const Skill*, std::less<>> by_name;
    std::vector<std::pair<std::string, std::string>> trees;
    for (auto& skill : catalogue_.skills) {
      if (belongsToAProgram(skill.scope)) {
        continue;
      }
      const auto [first, is_new] = by_name.emplace(skill.name, &skill);
      skill.offered = is_new;
      if (is_new) {
        trees.emplace_back(skill.name, skill.tree.digest);
      } else {
        problem(skillfiles::shownName(skill.directory.string()),
                fmt::format("agents get {} instead, which has the same name", first->second->id));
      }
    }
    catalogue_.hash = skillfiles::catalogueHash(trees);
  }

  Catalogue catalogue_;
  std::set<fs::path> seen_;
  std::set<std::string, std::less<>> ids_;
};

}  // namespace

Catalogue scan(ScanInput input) { return Scanner().scan(std::move(input)); }

}  // namespace svc::skills
