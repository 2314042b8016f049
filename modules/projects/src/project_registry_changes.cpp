#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/record_id.h"
#include "svc/common/sort_key.h"

#include "project_registry.h"

namespace svc::projects {
namespace {

using common::Json;
using storage::ProjectChange;
using storage::ProjectSourceRow;

ProjectSourceRow newSource(const std::string& project_id, const Place& place, std::int64_t now) {
  return {.id = common::newRecordId("src", now),
          .project_id = project_id,
          .host_id = place.host_id,
          .path = place.path,
          .created_at = now,
          .updated_at = now};
}

/// Where `previous` and `next` meet in `order`; nullopt when they are no neighbours.
std::optional<std::size_t> gapBetween(const std::vector<const ProjectEntry*>& order,
                                      const std::optional<std::string>& previous,
                                      const std::optional<std::string>& next) {
  const auto idAt = [&](std::size_t at) {
    return at < order.size() ? std::optional(order[at]->row.id) : std::nullopt;
  };
  for (std::size_t gap = 0; gap <= order.size(); ++gap) {
    if (idAt(gap) == next && (gap == 0 ? std::nullopt : idAt(gap - 1)) == previous) {
      return gap;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Json> ProjectRegistry::create(const std::string& name, const Place& place) {
  std::unique_lock writing(write_mutex_);
  if (auto free = checkFree(place, {}); !free) {
    return std::move(free).error();
  }
  const auto now = clock_.nowMs();
  const auto id = common::newRecordId("proj", now);
  auto source = newSource(id, place, now);
  source.is_default = true;
  const ProjectChange change{
      .projects = {{.id = id,
                    .kind = "standard",
                    .name = name,
                    .sort_key = common::sortKeyBetween(sorted().back()->row.sort_key, {}),
                    .created_at = now,
                    .updated_at = now}},
      .sources = {std::move(source)}};
  if (auto stored = commit(change); !stored) {
    return std::move(stored).error();
  }
  auto created = toRecord(entries_.at(id));
  writing.unlock();
  announce_(id, "project-created");
  return created;
}

Result<Json> ProjectRegistry::rename(const std::string& project_id, const std::string& name) {
  std::unique_lock writing(write_mutex_);
  const auto entry = changeable(project_id);
  if (!entry) {
    return entry.error();
  }
  auto row = entry.value()->row;
  if (row.name == name) {
    return toRecord(*entry.value());
  }
  row.name = name;
  row.updated_at = clock_.nowMs();
  if (auto stored = commit({.projects = {std::move(row)}}); !stored) {
    return std::move(stored).error();
  }
  auto renamed = toRecord(entries_.at(project_id));
  writing.unlock();
  announce_(project_id, "project-updated");
  return renamed;
}

Status ProjectRegistry::remove(const std::string& project_id) {
  {
    const std::scoped_lock writing(write_mutex_);
    if (const auto entry = changeable(project_id); !entry) {
      return entry.error();
    }
    if (auto stored = commit({.gone_projects = {project_id}}); !stored) {
      return stored;
    }
  }
  announce_(project_id, "project-deleted");
  std::vector<std::function<void(const std::string&)>> listeners;
  {
    const std::scoped_lock lock(listeners_->mutex);
    for (const auto& [number, listener] : listeners_->all) {
      listeners.push_back(listener);
    }
  }
  for (const auto& listener : listeners) {
    listener(project_id);
  }
  return {};
}

Result<Json> ProjectRegistry::reorder(const std::string& project_id,
                                      const std::optional<std::string>& previous_id,
                                      const std::optional<std::string>& next_id) {
  std::unique_lock writing(write_mutex_);
  const auto moved = changeable(project_id);
  if (!moved) {
    return moved.error();
  }
  auto order = sorted();
  std::erase_if(order, [&](const ProjectEntry* each) {
    return each->isPersonal() || each->row.id == project_id;
  });
  const auto gap = gapBetween(order, previous_id, next_id);
  if (!gap) {
    return Error{
        errc::kConflict,
        "previousProjectId and nextProjectId are no neighbours (any more), null stands for "
        "the beginning and the end of the list; read the list again"};
  }
  ProjectChange change{.projects = {moved.value()->row}};
  auto& key = change.projects.front().sort_key;
  key = common::sortKeyBetween(*gap == 0 ? std::string() : order[*gap - 1]->row.sort_key,
                               *gap == order.size() ? std::string() : order[*gap]->row.sort_key);
  if (key.size() > common::kSortKeyLength) {
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(*gap), moved.value());
    auto keys = common::sortKeys(order.size());
    change.projects.clear();
    for (std::size_t at = 0; at < order.size(); ++at) {
      change.projects.push_back(order[at]->row);
      change.projects.back().sort_key = std::move(keys[at]);
    }
  }
  if (auto stored = commit(change); !stored) {
    return std::move(stored).error();
  }
  writing.unlock();
  announce_({}, "project-order-changed");
  return records(/*with_personal=*/false);
}

Result<Json> ProjectRegistry::addSource(const std::string& project_id, const Place& place) {
  std::unique_lock writing(write_mutex_);
  if (const auto entry = changeable(project_id); !entry) {
    return entry.error();
  }
  if (auto free = checkFree(place, {}); !free) {
    return std::move(free).error();
  }
  const auto source = newSource(project_id, place, clock_.nowMs());
  if (auto stored = commit({.sources = {source}}); !stored) {
    return std::move(stored).error();
  }
  writing.unlock();
  announce_(project_id, "project-sources-changed");
  return toRecord(source);
}

Result<Json> ProjectRegistry::editSource(const std::string& project_id,
                                         const std::string& source_id, const SourceEdit& edit) {
  std::unique_lock writing(write_mutex_);
  const auto entry = changeable(project_id);
  if (!entry) {
    return entry.error();
  }
  const auto& sources = entry.value()->sources;
  const auto found = std::find_if(sources.begin(), sources.end(),
                                  [&](const auto& each) { return each.id == source_id; });
  if (found == sources.end()) {
    return noSuchSource(*entry.value(), source_id);
  }
  auto edited = *found;
  edited.path = edit.path.value_or(edited.path);
  if (auto free = checkFree({edited.host_id, edited.path}, source_id); !free) {
    return std::move(free).error();
  }
  ProjectChange change;
  if (edit.make_default && !edited.is_default) {
    edited.is_default = true;
    for (auto other : sources) {
      if (std::exchange(other.is_default, false)) {
        change.sources.push_back(std::move(other));
      }
    }
  }
  if (edited == *found) {
    return toRecord(edited);
  }
  edited.updated_at = clock_.nowMs();
  change.sources.push_back(edited);
  if (auto stored = commit(change); !stored) {
    return std::move(stored).error();
  }
  writing.unlock();
  announce_(project_id, "project-sources-changed");
  return toRecord(edited);
}

Status ProjectRegistry::removeSource(const std::string& project_id, const std::string& source_id) {
  {
    const std::scoped_lock writing(write_mutex_);
    const auto entry = changeable(project_id);
    if (!entry) {
      return entry.error();
    }
    auto left = entry.value()->sources;
    if (std::erase_if(left, [&](const auto& each) { return each.id == source_id; }) == 0) {
      return noSuchSource(*entry.value(), source_id);
    }
    if (left.empty()) {
      return Error{errc::kConflict,
                   fmt::format("\"{}\" is the only source of the project \"{}\"; add another one "
                               "first, or delete the project",
                               source_id, entry.value()->row.name)};
    }
    ProjectChange change{.gone_sources = {source_id}};
    if (std::none_of(left.begin(), left.end(), [](const auto& each) { return each.is_default; })) {
      left.front().is_default = true;
      left.front().updated_at = clock_.nowMs();
      change.sources.push_back(left.front());
    }
    if (auto stored = commit(change); !stored) {
      return stored;
    }
  }
  announce_(project_id, "project-sources-changed");
  return {};
}

Status ProjectRegistry::noteGitRemote(const std::string& project_id, const std::string& url) {
  {
    const std::scoped_lock writing(write_mutex_);
    const auto found = entries_.find(project_id);
    if (found == entries_.end() || found->second.row.git_remote_url == url) {
      return {};
    }
    auto row = found->second.row;
    row.git_remote_url = url;
    row.updated_at = clock_.nowMs();
    if (auto stored = commit({.projects = {std::move(row)}}); !stored) {
      return stored;
    }
  }
  announce_(project_id, "project-updated");
  return {};
}

}  // namespace svc::projects
