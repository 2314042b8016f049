#include "memory_terminal_store.h"

#include <algorithm>

namespace svc::storage_memory {

Result<std::vector<storage::TerminalRow>> MemoryTerminalStore::terminals() {
  const std::lock_guard lock(mutex_);
  std::vector<storage::TerminalRow> out;
  for (const auto& [id, row] : rows_) {
    out.push_back(row);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& left, const auto& right) {
    return left.created_at < right.created_at;
  });
  return out;
}

Status MemoryTerminalStore::apply(const storage::TerminalChange& change) {
  if (auto checked = storage::checkTerminalChange(change); !checked) {
    return checked;
  }
  const std::lock_guard lock(mutex_);
  for (const auto& id : change.gone) {
    rows_.erase(id);
  }
  for (const auto& row : change.terminals) {
    rows_.insert_or_assign(row.id, row);
  }
  return {};
}

}  // namespace svc::storage_memory
