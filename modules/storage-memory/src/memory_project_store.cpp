#include "memory_project_store.h"

#include <set>
#include <utility>

namespace svc::storage_memory {
namespace {

using Sources = std::map<std::string, storage::ProjectSourceRow>;

Status checkSources(const Sources& sources) {
  std::set<std::pair<std::string, std::string>> folders;
  std::set<std::string> defaults;
  for (const auto& [id, row] : sources) {
    if (!folders.insert({row.host_id, row.path}).second) {
      return Error{errc::kConflict, "two sources are the same folder of one machine"};
    }
    if (row.is_default && !defaults.insert(row.project_id).second) {
      return Error{errc::kConflict, "a project has two default sources"};
    }
  }
  return {};
}

}  // namespace

Result<std::vector<storage::ProjectRow>> MemoryProjectStore::projects() {
  const std::lock_guard lock(mutex_);
  std::vector<storage::ProjectRow> out;
  for (const auto& [id, row] : projects_) {
    out.push_back(row);
  }
  return out;
}

Result<std::vector<storage::ProjectSourceRow>> MemoryProjectStore::sources() {
  const std::lock_guard lock(mutex_);
  std::vector<storage::ProjectSourceRow> out;
  for (const auto& [id, row] : sources_) {
    out.push_back(row);
  }
  return out;
}

Status MemoryProjectStore::apply(const storage::ProjectChange& change) {
  if (auto checked = storage::checkProjectChange(change); !checked) {
    return checked;
  }
  const std::lock_guard lock(mutex_);
  auto sources = sources_;
  for (const auto& id : change.gone_projects) {
    std::erase_if(sources, [&id](const auto& entry) { return entry.second.project_id == id; });
  }
  for (const auto& id : change.gone_sources) {
    sources.erase(id);
  }
  for (const auto& row : change.sources) {
    sources.insert_or_assign(row.id, row);
  }
  if (auto checked = checkSources(sources); !checked) {
    return checked;
  }
  sources_ = std::move(sources);
  for (const auto& id : change.gone_projects) {
    projects_.erase(id);
  }
  for (const auto& row : change.projects) {
    projects_.insert_or_assign(row.id, row);
  }
  return {};
}

}  // namespace svc::storage_memory
