#include "project_tables.h"

#include <utility>

namespace svc::storage {

// Not "OR REPLACE", which would quietly remove the row that another one contradicts.
ProjectTables::ProjectTables(const Database& database)
    : list_projects_(database.handle(),
                     "SELECT id, kind, name, sort_key, git_remote_url, created_at, updated_at "
                     "FROM projects ORDER BY id"),
      put_project_(database.handle(),
                   "INSERT INTO projects (id, kind, name, sort_key, git_remote_url, created_at, "
                   "updated_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
                   "kind=excluded.kind, name=excluded.name, sort_key=excluded.sort_key, "
                   "git_remote_url=excluded.git_remote_url, created_at=excluded.created_at, "
                   "updated_at=excluded.updated_at"),
      remove_project_(database.handle(), "DELETE FROM projects WHERE id=?"),
      list_sources_(database.handle(),
                    "SELECT id, project_id, host_id, path, is_default, created_at, updated_at "
                    "FROM project_sources ORDER BY id"),
      put_source_(database.handle(),
                  "INSERT INTO project_sources (id, project_id, host_id, path, is_default, "
                  "created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO "
                  "UPDATE SET project_id=excluded.project_id, host_id=excluded.host_id, "
                  "path=excluded.path, is_default=excluded.is_default, "
                  "created_at=excluded.created_at, updated_at=excluded.updated_at"),
      remove_source_(database.handle(), "DELETE FROM project_sources WHERE id=?"),
      remove_sources_of_(database.handle(), "DELETE FROM project_sources WHERE project_id=?") {}

std::vector<ProjectRow> ProjectTables::projects() {
  std::vector<ProjectRow> out;
  auto rows = list_projects_.run();
  while (rows.next()) {
    ProjectRow row;
    row.id = rows.text(0);
    row.kind = rows.text(1);
    row.name = rows.text(2);
    row.sort_key = rows.text(3);
    row.git_remote_url = rows.text(4);
    row.created_at = rows.integer(5);
    row.updated_at = rows.integer(6);
    out.push_back(std::move(row));
  }
  return out;
}

std::vector<ProjectSourceRow> ProjectTables::sources() {
  std::vector<ProjectSourceRow> out;
  auto rows = list_sources_.run();
  while (rows.next()) {
    ProjectSourceRow row;
    row.id = rows.text(0);
    row.project_id = rows.text(1);
    row.host_id = rows.text(2);
    row.path = rows.text(3);
    row.is_default = rows.integer(4) != 0;
    row.created_at = rows.integer(5);
    row.updated_at = rows.integer(6);
    out.push_back(std::move(row));
  }
  return out;
}

void ProjectTables::apply(const ProjectChange& change) {
  for (const auto& id : change.gone_projects) {
    remove_project_.execute(id);
    remove_sources_of_.execute(id);
  }
  for (const auto& id : change.gone_sources) {
    remove_source_.execute(id);
  }
  for (const auto& row : change.projects) {
    put_project_.execute(row.id, row.kind, row.name, row.sort_key, row.git_remote_url,
                         row.created_at, row.updated_at);
  }
  for (const bool is_default : {false, true}) {
    for (const auto& row : change.sources) {
      if (row.is_default == is_default) {
        putSource(row);
      }
    }
  }
}

void ProjectTables::putSource(const ProjectSourceRow& row) {
  put_source_.execute(row.id, row.project_id, row.host_id, row.path,
                      std::int64_t{row.is_default ? 1 : 0}, row.created_at, row.updated_at);
}

}  // namespace svc::storage
