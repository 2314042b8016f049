#include "sqlite_mcp_token_store.h"

#include <utility>

#include "blocking.h"
#include "store_request.h"

namespace svc::storage {

Result<std::vector<McpTokenRow>> SqliteMcpTokenStore::list() {
  return runBlocking(
      threads_, Access::kRead,
      [this](Side side) -> Result<std::vector<McpTokenRow>> { return table_.on(side).list(); });
}

void SqliteMcpTokenStore::insert(McpTokenRow row, Completion<void> done) {
  if (auto checked = checkMcpToken(row); !checked) {
    done(std::move(checked));
    return;
  }
  threads_.submit(makeRequest<void>(
      Access::kWrite, kRowScope, 0,
      [this, row = std::move(row)](Side side) -> Status {
        return table_.on(side).insert(row) ? Status() : Status(mcpTokenThere(row));
      },
      std::move(done)));
}

void SqliteMcpTokenStore::remove(std::string id, Completion<void> done) {
  threads_.submit(makeRequest<void>(
      Access::kWrite, kRowScope, 0,
      [this, id = std::move(id)](Side side) -> Status {
        return table_.on(side).remove(id), Status{};
      },
      std::move(done)));
}

void SqliteMcpTokenStore::used(std::string id, std::int64_t at, Completion<void> done) {
  threads_.submit(makeRequest<void>(
      Access::kWrite, kRowScope, 0,
      [this, id = std::move(id), at](Side side) -> Status {
        return table_.on(side).used(id, at), Status{};
      },
      std::move(done)));
}

}  // namespace svc::storage
