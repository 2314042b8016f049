#include "memory_mcp_token_store.h"

#include <algorithm>
#include <utility>

namespace svc::storage_memory {

using storage::McpTokenRow;

Result<std::vector<McpTokenRow>> MemoryMcpTokenStore::list() {
  const std::lock_guard lock(mutex_);
  std::vector<McpTokenRow> out;
  for (const auto& [name, row] : rows_) {
    out.push_back(row);
  }
  return out;
}

void MemoryMcpTokenStore::insert(McpTokenRow row, Completion<void> done) {
  if (auto checked = storage::checkMcpToken(row); !checked) {
    done(std::move(checked));
    return;
  }
  auto body = [this, row = std::move(row)]() -> Status {
    const std::lock_guard lock(mutex_);
    const bool taken = std::any_of(rows_.begin(), rows_.end(), [&row](const auto& entry) {
      const auto& there = entry.second;
      return there.id == row.id || there.name == row.name || there.hash == row.hash;
    });
    if (taken) {
      return storage::mcpTokenThere(row);
    }
    rows_.emplace(row.name, row);
    return {};
  };
  thread_.submit(std::move(body), std::move(done));
}

void MemoryMcpTokenStore::remove(std::string id, Completion<void> done) {
  auto body = [this, id = std::move(id)]() -> Status {
    const std::lock_guard lock(mutex_);
    std::erase_if(rows_, [&id](const auto& entry) { return entry.second.id == id; });
    return {};
  };
  thread_.submit(std::move(body), std::move(done));
}

void MemoryMcpTokenStore::used(std::string id, std::int64_t at, Completion<void> done) {
  auto body = [this, id = std::move(id), at]() -> Status {
    const std::lock_guard lock(mutex_);
    for (auto& [name, row] : rows_) {
      if (row.id == id) {
        row.last_used_at = std::max(row.last_used_at, at);
      }
    }
    return {};
  };
  thread_.submit(std::move(body), std::move(done));
}

}  // namespace svc::storage_memory
