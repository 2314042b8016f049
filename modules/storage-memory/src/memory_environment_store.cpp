#include "memory_environment_store.h"

#include <algorithm>

namespace svc::storage_memory {

Result<std::vector<storage::EnvironmentRow>> MemoryEnvironmentStore::environments() {
  const std::lock_guard lock(mutex_);
  std::vector<storage::EnvironmentRow> out;
  for (const auto& [id, row] : rows_) {
    out.push_back(row);
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& left, const auto& right) {
    return left.created_at < right.created_at;
  });
  return out;
}

Status MemoryEnvironmentStore::apply(const storage::EnvironmentChange& change) {
  if (auto checked = storage::checkEnvironmentChange(change); !checked) {
    return checked;
  }
  const std::lock_guard lock(mutex_);
  for (const auto& id : change.gone) {
    rows_.erase(id);
  }
  for (const auto& row : change.environments) {
    rows_.insert_or_assign(row.id, row);
  }
  return {};
}

}  // namespace svc::storage_memory
