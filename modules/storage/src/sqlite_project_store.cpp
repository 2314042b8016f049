#include "sqlite_project_store.h"

#include "blocking.h"

namespace svc::storage {

Result<std::vector<ProjectRow>> SqliteProjectStore::projects() {
  return runBlocking(threads_, Access::kRead, [this](Side side) -> Result<std::vector<ProjectRow>> {
    return tables_.on(side).projects();
  });
}

Result<std::vector<ProjectSourceRow>> SqliteProjectStore::sources() {
  return runBlocking(threads_, Access::kRead,
                     [this](Side side) -> Result<std::vector<ProjectSourceRow>> {
                       return tables_.on(side).sources();
                     });
}

Status SqliteProjectStore::apply(const ProjectChange& change) {
  if (auto checked = checkProjectChange(change); !checked) {
    return checked;
  }
  return runBlocking(threads_, Access::kWrite, [this, change](Side side) -> Status {
    return tables_.on(side).apply(change), Status{};
  });
}

}  // namespace svc::storage
