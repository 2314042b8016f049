#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "svc/common/json.h"
#include "svc/projects/projects.h"
#include "svc/storage/project_store.h"

namespace svc::projects {

/// One project as the server keeps it.
struct ProjectEntry {
  storage::ProjectRow row{};
  std::vector<storage::ProjectSourceRow>
      sources{};  ///< ascending by id, which is the order they were added in

  [[nodiscard]] bool isPersonal() const { return row.id == kPersonalProject; }
};

/// `not_found`, and how to find the ids.
[[nodiscard]] Error noSuchProject(std::string_view project_id);
[[nodiscard]] Error noSuchSource(const ProjectEntry& entry, std::string_view source_id);
[[nodiscard]] Project toProject(const ProjectEntry& entry);
/// The records of the contract.
[[nodiscard]] common::Json toRecord(const ProjectEntry& entry);
[[nodiscard]] common::Json toRecord(const storage::ProjectSourceRow& source);

}  // namespace svc::projects
