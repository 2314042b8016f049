#include "memory_host_store.h"

namespace svc::storage_memory {

Result<std::vector<storage::HostRow>> MemoryHostStore::hosts() {
  const std::lock_guard lock(mutex_);
  std::vector<storage::HostRow> out;
  for (const auto& [id, row] : hosts_) {
    out.push_back(row);
  }
  return out;
}

Result<std::vector<storage::HostKeyRow>> MemoryHostStore::keys() {
  const std::lock_guard lock(mutex_);
  std::vector<storage::HostKeyRow> out;
  for (const auto& [hash, row] : keys_) {
    out.push_back(row);
  }
  return out;
}

Status MemoryHostStore::apply(const storage::HostChange& change) {
  if (auto checked = storage::checkHostChange(change); !checked) {
    return checked;
  }
  const std::lock_guard lock(mutex_);
  for (const auto& id : change.gone_hosts) {
    hosts_.erase(id);
    std::erase_if(keys_, [&id](const auto& entry) { return entry.second.host_id == id; });
  }
  for (const auto& hash : change.gone_keys) {
    keys_.erase(hash);
  }
  for (const auto& row : change.hosts) {
    hosts_.insert_or_assign(row.id, row);
  }
  for (const auto& row : change.keys) {
    keys_.insert_or_assign(row.hash, row);
  }
  return {};
}

}  // namespace svc::storage_memory
