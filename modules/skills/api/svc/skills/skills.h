#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"
#include "svc/skillfiles/skill_tree.h"

namespace svc::skills {

/// Where a skill comes from, the strongest first.
enum class Scope : std::uint8_t {
  kSvcProject,       ///< `.svc/skills` of a project
  kSharedProject,    ///< `.agents/skills` of a project
  kSvcUser,          ///< `<data>/skills`
  kSharedUser,       ///< `~/.agents/skills`
  kPlugin,           ///< of a plugin that is on
  kSvcBuiltin,       ///< of the service
  kProviderProject,  ///< of one agent's program; it reads them itself
  kProviderUser,
};

/// The folder of a project on a machine that this server does not read itself. Thread-safe.
class IRemoteProject {
 public:
  virtual ~IRemoteProject() = default;
  /// What is in these folders of it, as the command `host.skills` answers. Fires on any thread.
  virtual void skills(const std::vector<std::string>& folders, Completion<common::Json> done) = 0;
  /// The bytes of a file, by its whole path. Fires on any thread.
  virtual void content(const std::filesystem::path& file, Completion<std::string> done) = 0;
};
using RemoteProjectPtr = std::shared_ptr<IRemoteProject>;

/// "svc-project", … as the wire has it.
[[nodiscard]] std::string_view scopeName(Scope scope);

struct Skill {
  /// "plugin:todo:example-todos", "svc-user:notes", "provider-user:claude:notes".
  std::string id;
  std::string name;
  std::string description;
  Scope scope = Scope::kSvcUser;
  std::string provider{};   ///< of provider scopes
  std::string plugin_id{};  ///< of Scope::kPlugin
  std::filesystem::path directory{};
  RemoteProjectPtr remote{};  ///< whose folder it is in; null = of this machine
  /// The one of its name that agents get. Others are hidden by a stronger one, or belong to one agent's program.
  bool offered = false;
  common::Json front_matter{};
  skillfiles::SkillTree tree{};

  /// Whether people may change it through the service.
  [[nodiscard]] bool manageable() const;
};

/// A folder that is no skill, or one with a remark.
struct SkillProblem {
  std::string path;  ///< safe to show
  std::string message;
  friend bool operator==(const SkillProblem&, const SkillProblem&) = default;
};

/// All skills of one place at one moment. Immutable.
struct Catalogue {
  /// Of what is offered: the same for the same names and trees, wherever they are.
  std::string hash;
  std::vector<Skill> skills;  ///< by scope, then by plugin or provider and name
  std::vector<SkillProblem> problems;

  [[nodiscard]] const Skill* find(std::string_view id) const;
  [[nodiscard]] const Skill* offeredAs(std::string_view name) const;
};
using CataloguePtr = std::shared_ptr<const Catalogue>;

/// What the skills of a project are read from.
struct Place {
  /// The folder of the project on this machine; nothing without a project, and for one elsewhere.
  std::optional<std::filesystem::path> project{};
  RemoteProjectPtr remote{};
};

/// Knows where the folder of a project is. Provided by who keeps projects.
class IProjectFolders {
 public:
  virtual ~IProjectFolders() = default;
  /// `not_found`. Fires on any thread.
  virtual void find(std::string project_id, std::string environment_id, Completion<Place> done) = 0;
};

/// The catalogue of skills.
class ISkills {
 public:
  static constexpr ServiceId kId{"svc.skills.Skills", 1};
  virtual ~ISkills() = default;
  /// What was found last, without a project; quick, any thread.
  [[nodiscard]] virtual CataloguePtr current() const = 0;
  /// Reads everything anew. Fires on the main thread, where it is called.
  virtual void read(Place place, Completion<CataloguePtr> done) = 0;
  /// The place of a project; an empty id and the personal project have none of their own. `not_found`. Main thread; fires there.
  virtual void place(const std::string& project_id, const std::string& environment_id,
                     Completion<Place> done) = 0;
  /// The bytes of one file that the skill has. Any thread; fires on any other. `not_found`, `overloaded`, and what its machine says.
  virtual void content(const Skill& skill, std::string path, Completion<std::string> done) = 0;
  /// current() is another one. Main thread.
  [[nodiscard]] virtual Handle onChanged(std::function<void()> listener) = 0;
  /// Lets projects have skills. Main thread; the handle lives no longer than the folders.
  [[nodiscard]] virtual Handle useProjects(IProjectFolders& folders) = 0;
};

inline std::string_view scopeName(Scope scope) {
  constexpr std::array<std::string_view, 8> kNames{
      "svc-project", "shared-project", "svc-user",         "shared-user",
      "plugin",      "svc-builtin",    "provider-project", "provider-user"};
  return kNames.at(static_cast<std::size_t>(scope));
}

inline bool Skill::manageable() const {
  return !remote && (scope == Scope::kSvcProject || scope == Scope::kSharedProject ||
                     scope == Scope::kSvcUser || scope == Scope::kSharedUser);
}

inline const Skill* Catalogue::find(std::string_view id) const {
  const auto found = std::find_if(skills.begin(), skills.end(),
                                  [&](const Skill& skill) { return skill.id == id; });
  return found == skills.end() ? nullptr : &*found;
}

inline const Skill* Catalogue::offeredAs(std::string_view name) const {
  const auto found = std::find_if(skills.begin(), skills.end(), [&](const Skill& skill) {
    return skill.offered && skill.name == name;
  });
  return found == skills.end() ? nullptr : &*found;
}

}  // namespace svc::skills
