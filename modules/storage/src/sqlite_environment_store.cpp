#include "sqlite_environment_store.h"

#include "blocking.h"

namespace svc::storage {

Result<std::vector<EnvironmentRow>> SqliteEnvironmentStore::environments() {
  return runBlocking(threads_, Access::kRead,
                     [this](Side side) -> Result<std::vector<EnvironmentRow>> {
                       return table_.on(side).environments();
                     });
}

Status SqliteEnvironmentStore::apply(const EnvironmentChange& change) {
  if (auto checked = checkEnvironmentChange(change); !checked) {
    return checked;
  }
  return runBlocking(threads_, Access::kWrite, [this, change](Side side) -> Status {
    return table_.on(side).apply(change), Status{};
  });
}

}  // namespace svc::storage
