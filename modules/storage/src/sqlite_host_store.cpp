#include "sqlite_host_store.h"

#include "blocking.h"

namespace svc::storage {

Result<std::vector<HostRow>> SqliteHostStore::hosts() {
  return runBlocking(threads_, Access::kRead, [this](Side side) -> Result<std::vector<HostRow>> {
    return tables_.on(side).hosts();
  });
}

Result<std::vector<HostKeyRow>> SqliteHostStore::keys() {
  return runBlocking(threads_, Access::kRead, [this](Side side) -> Result<std::vector<HostKeyRow>> {
    return tables_.on(side).keys();
  });
}

Status SqliteHostStore::apply(const HostChange& change) {
  if (auto checked = checkHostChange(change); !checked) {
    return checked;
  }
  return runBlocking(threads_, Access::kWrite, [this, change](Side side) -> Status {
    return tables_.on(side).apply(change), Status{};
  });
}

}  // namespace svc::storage
