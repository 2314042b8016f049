#include "sqlite_terminal_store.h"

#include "blocking.h"

namespace svc::storage {

Result<std::vector<TerminalRow>> SqliteTerminalStore::terminals() {
  return runBlocking(threads_, Access::kRead,
                     [this](Side side) -> Result<std::vector<TerminalRow>> {
                       return table_.on(side).terminals();
                     });
}

Status SqliteTerminalStore::apply(const TerminalChange& change) {
  if (auto checked = checkTerminalChange(change); !checked) {
    return checked;
  }
  return runBlocking(threads_, Access::kWrite, [this, change](Side side) -> Status {
    return table_.on(side).apply(change), Status{};
  });
}

}  // namespace svc::storage
