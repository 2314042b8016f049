#include "project_record.h"

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::projects {

using common::Json;

Error noSuchProject(std::string_view project_id) {
  return {errc::kNotFound,
          fmt::format("there is no project \"{}\"; `svc project list` shows them", project_id)};
}

Error noSuchSource(const ProjectEntry& entry, std::string_view source_id) {
  return {errc::kNotFound, fmt::format("the project \"{}\" has no source \"{}\"; `svc project show "
                                       "{}` shows what it has",
                                       entry.row.name, source_id, entry.row.id)};
}

Project toProject(const ProjectEntry& entry) {
  Project project{.id = entry.row.id,
                  .name = entry.row.name,
                  .created_at = entry.row.created_at,
                  .git_remote_url = entry.row.git_remote_url};
  for (const auto& source : entry.sources) {
    project.sources.push_back({.id = source.id,
                               .host_id = source.host_id,
                               .path = source.path,
                               .is_default = source.is_default});
  }
  return project;
}

Json toRecord(const storage::ProjectSourceRow& source) {
  return Json::object()
      .set("id", source.id)
      .set("projectId", source.project_id)
      .set("type", "local_path")
      .set("hostId", source.host_id)
      .set("path", source.path)
      .set("isDefault", source.is_default)
      .set("createdAt", source.created_at)
      .set("updatedAt", source.updated_at);
}

Json toRecord(const ProjectEntry& entry) {
  auto sources = Json::array();
  for (const auto& source : entry.sources) {
    sources.push(toRecord(source));
  }
  const auto& row = entry.row;
  return Json::object()
      .set("id", row.id)
      .set("kind", row.kind)
      .set("name", row.name)
      .set("gitRemoteUrl", row.git_remote_url.empty() ? Json() : Json(row.git_remote_url))
      .set("sources", std::move(sources))
      .set("createdAt", row.created_at)
      .set("updatedAt", row.updated_at);
}

}  // namespace svc::projects
