#include "project_registry.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/record_id.h"
#include "svc/common/sort_key.h"

namespace svc::projects {

using common::Json;
using storage::ProjectChange;

ProjectRegistry::ProjectRegistry(storage::IProjectStore& store, const IClock& clock,
                                 ProjectAnnouncer announce)
    : store_(store), clock_(clock), announce_(std::move(announce)) {}

Status ProjectRegistry::open() {
  const std::scoped_lock writing(write_mutex_);
  auto projects = store_.projects();
  if (!projects) {
    return std::move(projects).error();
  }
  auto sources = store_.sources();
  if (!sources) {
    return std::move(sources).error();
  }
  {
    const std::scoped_lock lock(mutex_);
    for (auto& row : projects.value()) {
      auto& entry = entries_[row.id];
      entry.row = std::move(row);
    }
    for (auto& row : sources.value()) {
      if (const auto found = entries_.find(row.project_id); found != entries_.end()) {
        found->second.sources.push_back(std::move(row));
      }
    }
  }
  if (entries_.contains(kPersonalProject)) {
    return {};
  }
  const auto now = clock_.nowMs();
  return commit({.projects = {{.id = std::string(kPersonalProject),
                               .kind = "personal",
                               .name = "Personal",
                               .created_at = now,
                               .updated_at = now}}});
}

std::vector<const ProjectEntry*> ProjectRegistry::sorted() const {
  std::vector<const ProjectEntry*> out;
  out.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) {
    out.push_back(&entry);
  }
  const auto place = [](const ProjectEntry* entry) {
    return std::tuple(!entry->isPersonal(), std::string_view(entry->row.sort_key),
                      std::string_view(entry->row.id));
  };
  std::sort(out.begin(), out.end(), [&](const ProjectEntry* left, const ProjectEntry* right) {
    return place(left) < place(right);
  });
  return out;
}

std::vector<Project> ProjectRegistry::list() const {
  const std::scoped_lock lock(mutex_);
  std::vector<Project> out;
  for (const auto* entry : sorted()) {
    out.push_back(toProject(*entry));
  }
  return out;
}

std::optional<Project> ProjectRegistry::find(std::string_view project_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(project_id);
  return found == entries_.end() ? std::nullopt : std::optional(toProject(found->second));
}

Handle ProjectRegistry::onRemoved(std::function<void(const std::string& project_id)> listener) {
  const std::scoped_lock lock(listeners_->mutex);
  const auto number = ++listeners_->last;
  listeners_->all[number] = std::move(listener);
  return Handle([listeners = listeners_, number] {
    const std::scoped_lock undo(listeners->mutex);
    listeners->all.erase(number);
  });
}

Handle ProjectRegistry::useEnvironments(EnvironmentPlaces places) {
  const std::scoped_lock lock(environments_->mutex);
  environments_->places = std::make_shared<const EnvironmentPlaces>(std::move(places));
  return Handle([environments = environments_] {
    const std::scoped_lock undo(environments->mutex);
    environments->places.reset();
  });
}

Result<Place> ProjectRegistry::placeOf(const std::string& project_id, const std::string& host_id,
                                       const std::string& environment_id) const {
  const auto project = find(project_id);
  if (!project) {
    return noSuchProject(project_id);
  }
  if (!environment_id.empty()) {
    std::shared_ptr<const EnvironmentPlaces> places;
    {
      const std::scoped_lock lock(environments_->mutex);
      places = environments_->places;
    }
    if (!places) {
      return Error{errc::kNotSupported,
                   "this server has no environments: its module environments "
                   "is not loaded"};
    }
    auto place = (*places)(project_id, environment_id);
    return place ? Result<Place>(Place{place.value().host_id, place.value().path})
                 : std::move(place).error();
  }
  const auto& sources = project->sources;
  const auto found = std::find_if(sources.begin(), sources.end(), [&](const Source& source) {
    return host_id.empty() ? source.is_default : source.host_id == host_id;
  });
  if (found != sources.end()) {
    return Place{found->host_id, found->path};
  }
  return Error{errc::kInvalidInput,
               host_id.empty()
                   ? fmt::format("the project \"{}\" has no folder; name one of its environments",
                                 project->name)
                   : fmt::format("the project \"{}\" has no source on the machine \"{}\"; `svc "
                                 "project show {}` shows those it has",
                                 project->name, host_id, project_id)};
}

Json ProjectRegistry::records(bool with_personal) const {
  const std::scoped_lock lock(mutex_);
  auto out = Json::array();
  for (const auto* entry : sorted()) {
    if (with_personal || !entry->isPersonal()) {
      out.push(toRecord(*entry));
    }
  }
  return out;
}

Result<Json> ProjectRegistry::record(std::string_view project_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(project_id);
  if (found == entries_.end()) {
    return noSuchProject(project_id);
  }
  return toRecord(found->second);
}

Result<storage::ProjectSourceRow> ProjectRegistry::source(std::string_view project_id,
                                                          std::string_view source_id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(project_id);
  if (found == entries_.end()) {
    return noSuchProject(project_id);
  }
  for (const auto& source : found->second.sources) {
    if (source.id == source_id) {
      return source;
    }
  }
  return noSuchSource(found->second, source_id);
}

Status ProjectRegistry::checkChangeable(std::string_view project_id) const {
  const std::scoped_lock lock(mutex_);
  const auto entry = changeable(project_id);
  return entry ? Status{} : Status{entry.error()};
}

Result<const ProjectEntry*> ProjectRegistry::changeable(std::string_view project_id) const {
  const auto found = entries_.find(project_id);
  if (found == entries_.end()) {
    return noSuchProject(project_id);
  }
  if (found->second.isPersonal()) {
    return Error{errc::kConflict,
                 "the personal project cannot be changed or deleted, and has no folders of its "
                 "own; create another project"};
  }
  return &found->second;
}

Status ProjectRegistry::checkFree(const Place& place, std::string_view except_source) const {
  for (const auto& [id, entry] : entries_) {
    for (const auto& source : entry.sources) {
      if (source.id != except_source && source.host_id == place.host_id &&
          source.path == place.path) {
        return Error{
            errc::kConflict,
            fmt::format("{} of that machine is already a source of the project \"{}\" ({})",
                        place.path, entry.row.name, id)};
      }
    }
  }
  return {};
}

Status ProjectRegistry::commit(const ProjectChange& change) {
  if (auto stored = store_.apply(change); !stored) {
    return stored;
  }
  const std::scoped_lock lock(mutex_);
  for (const auto& id : change.gone_projects) {
    entries_.erase(id);
  }
  for (const auto& id : change.gone_sources) {
    for (auto& [project_id, entry] : entries_) {
      std::erase_if(entry.sources, [&id](const auto& each) { return each.id == id; });
    }
  }
  for (const auto& row : change.projects) {
    entries_[row.id].row = row;
  }
  for (const auto& row : change.sources) {
    auto& sources = entries_.at(row.project_id).sources;
    const auto at = std::lower_bound(
        sources.begin(), sources.end(), row.id,
        [](const storage::ProjectSourceRow& each, const std::string& id) { return each.id < id; });
    if (at != sources.end() && at->id == row.id) {
      *at = row;
    } else {
      sources.insert(at, row);
    }
  }
  return {};
}

}  // namespace svc::projects
