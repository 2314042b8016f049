#include "sqlite_host_store.h"

#include "blocking.h"

namespace svc::storage {

Result<std::vector<HostRow>> SqliteHostStore::hosts() {
  return runBlocking(thread_, Access::kRead,
                     [this]() -> Result<std::vector<HostRow>> { return tables_.hosts(); });
}

Result<std::vector<HostKeyRow>> SqliteHostStore::keys() {
  return runBlocking(thread_, Access::kRead,
                     [this]() -> Result<std::vector<HostKeyRow>> { return tables_.keys(); });
}

Status SqliteHostStore::apply(const HostChange& change) {
  if (auto checked = checkHostChange(change); !checked) {
    return checked;
  }
  return runBlocking(thread_, Access::kWrite,
                     [this, change]() -> Status { return tables_.apply(change), Status{}; });
}

}  // namespace svc::storage
