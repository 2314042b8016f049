#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::projects {

/// The project of everything that belongs to no other one. It exists from the first start.
inline constexpr std::string_view kPersonalProject = "proj_personal";

/// A folder of a machine that a project's files are in.
struct Source {
  std::string id;
  std::string host_id;
  std::string path;  ///< absolute, as the machine names it
  bool is_default = false;
};

/// A project as other modules see it. A value: a snapshot.
struct Project {
  std::string id;
  std::string name;
  std::vector<Source>
      sources{};  ///< in the order they were added; one is the default, the personal project has none
  std::int64_t created_at = 0;
  std::string git_remote_url{};  ///< empty = none, or not known yet
};

/// A folder of a machine.
struct WorkPlace {
  std::string host_id;
  std::string path;  ///< absolute
};

/// Where the environment of a project is: `not_found`, or `conflict` while it has no folder. Any thread, quick.
using EnvironmentPlaces = std::function<Result<WorkPlace>(const std::string& project_id,
                                                          const std::string& environment_id)>;

/// The projects and their sources. Thread-safe and quick (any thread, the io thread included): everything is in memory.
class IProjects {
 public:
  static constexpr ServiceId kId{"svc.projects.Projects", 1};
  virtual ~IProjects() = default;

  /// The personal project first, then as people have arranged them.
  [[nodiscard]] virtual std::vector<Project> list() const = 0;
  [[nodiscard]] virtual std::optional<Project> find(std::string_view project_id) const = 0;

  /// Called (any thread, no lock held) after a project was deleted for good: what belongs to it goes, too.
  [[nodiscard]] virtual Handle onRemoved(
      std::function<void(const std::string& project_id)> listener) = 0;

  /// Lets files of projects be read in environments. Whoever keeps those gives it, and takes it back by the handle.
  [[nodiscard]] virtual Handle useEnvironments(EnvironmentPlaces places) = 0;
};

}  // namespace svc::projects
