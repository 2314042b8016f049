#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

/// One project. Times are milliseconds since the epoch.
struct ProjectRow {
  std::string id;
  std::string kind;  ///< "standard" or "personal"
  std::string name;
  std::string sort_key{};        ///< its place among the others, compared as bytes
  std::string git_remote_url{};  ///< empty = none is known
  std::int64_t created_at = 0;
  std::int64_t updated_at = 0;

  friend bool operator==(const ProjectRow&, const ProjectRow&) = default;
};

/// Where a project's files are. A folder of a machine belongs to one project.
struct ProjectSourceRow {
  std::string id;
  std::string project_id;
  std::string host_id;
  std::string path;
  bool is_default = false;  ///< at most one of a project
  std::int64_t created_at = 0;
  std::int64_t updated_at = 0;

  friend bool operator==(const ProjectSourceRow&, const ProjectSourceRow&) = default;
};

/// Rows that change together.
struct ProjectChange {
  std::vector<ProjectRow> projects{};        ///< inserted or replaced
  std::vector<ProjectSourceRow> sources{};   ///< inserted or replaced
  std::vector<std::string> gone_projects{};  ///< ids; their sources go, too
  std::vector<std::string> gone_sources{};   ///< ids
};

/// Projects and their sources. Thread-safe. Every call blocks until the answer is durable, so it is never made from the io
/// thread or a script thread.
class IProjectStore {
 public:
  static constexpr ServiceId kId{"svc.storage.ProjectStore", 1};
  virtual ~IProjectStore() = default;

  /// Ascending by id.
  [[nodiscard]] virtual Result<std::vector<ProjectRow>> projects() = 0;
  /// Ascending by id.
  [[nodiscard]] virtual Result<std::vector<ProjectSourceRow>> sources() = 0;
  /// All of it or nothing; removals come first, then sources that are not the default. What is already gone is no error.
  /// `invalid_argument` for an empty id; `conflict` when a folder of a machine would be in two sources, or a project have two defaults.
  [[nodiscard]] virtual Status apply(const ProjectChange& change) = 0;
};

/// What every implementation answers to a row without its key; success when there is none.
[[nodiscard]] inline Status checkProjectChange(const ProjectChange& change) {
  for (const auto& project : change.projects) {
    if (project.id.empty()) {
      return Error{errc::kInvalidArgument, "a project needs an id"};
    }
  }
  for (const auto& source : change.sources) {
    if (source.id.empty() || source.project_id.empty()) {
      return Error{errc::kInvalidArgument, "a source needs an id and the id of its project"};
    }
  }
  return {};
}

}  // namespace svc::storage
