#include "skill_folders.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::projects {

void SkillFolders::find(std::string project_id, std::string environment_id,
                        Completion<std::filesystem::path> done) {
  done(folderOf(project_id, environment_id));
}

Result<std::filesystem::path> SkillFolders::folderOf(const std::string& project_id,
                                                     const std::string& environment_id) const {
  const auto place = registry_.placeOf(project_id, {}, environment_id);
  if (!place) {
    return place.error();
  }
  if (const auto host = machines_.find(place.value().host_id); host && host->is_server) {
    return std::filesystem::path(place.value().path);
  }
  // A project may have a folder on both.
  if (environment_id.empty()) {
    for (const auto& host : machines_.list()) {
      const auto here = host.is_server ? registry_.placeOf(project_id, host.id, {}) : place;
      if (host.is_server && here) {
        return std::filesystem::path(here.value().path);
      }
    }
  }
  return Error{
      errc::kNotSupported,
      fmt::format("the skills of the project \"{}\" are on another machine; those are read "
                  "by the agents there, and shown for projects with a folder on the "
                  "server's own machine",
                  project_id)};
}

}  // namespace svc::projects
