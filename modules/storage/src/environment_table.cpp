#include "environment_table.h"

#include <utility>

namespace svc::storage {

EnvironmentTable::EnvironmentTable(const Database& database)
    : list_(database.handle(),
            "SELECT id, project_id, host_id, kind, status, status_detail, name, path, "
            "intent, is_git_repo, is_worktree, branch_name, base_branch, "
            "default_branch, merge_base_branch, phase, retire_at, teardown_status, "
            "teardown_attempt, created_at, updated_at FROM environments ORDER BY "
            "created_at, id"),
      put_(database.handle(),
           "INSERT OR REPLACE INTO environments (id, project_id, host_id, kind, "
           "status, status_detail, name, path, intent, is_git_repo, is_worktree, "
           "branch_name, base_branch, default_branch, merge_base_branch, phase, "
           "retire_at, teardown_status, teardown_attempt, created_at, updated_at) "
           "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      remove_(database.handle(), "DELETE FROM environments WHERE id=?") {}

std::vector<EnvironmentRow> EnvironmentTable::environments() {
  std::vector<EnvironmentRow> out;
  auto rows = list_.run();
  while (rows.next()) {
    int column = 0;
    EnvironmentRow row;
    row.id = rows.text(column++);
    row.project_id = rows.text(column++);
    row.host_id = rows.text(column++);
    row.kind = rows.text(column++);
    row.status = rows.text(column++);
    row.status_detail = rows.text(column++);
    row.name = rows.text(column++);
    row.path = rows.text(column++);
    row.intent = rows.text(column++);
    row.is_git_repo = rows.integer(column++) != 0;
    row.is_worktree = rows.integer(column++) != 0;
    row.branch_name = rows.text(column++);
    row.base_branch = rows.text(column++);
    row.default_branch = rows.text(column++);
    row.merge_base_branch = rows.text(column++);
    row.phase = rows.text(column++);
    row.retire_at = rows.integer(column++);
    row.teardown_status = rows.text(column++);
    row.teardown_attempt = rows.integer(column++);
    row.created_at = rows.integer(column++);
    row.updated_at = rows.integer(column);
    out.push_back(std::move(row));
  }
  return out;
}

void EnvironmentTable::apply(const EnvironmentChange& change) {
  for (const auto& id : change.gone) {
    remove_.execute(id);
  }
  for (const auto& row : change.environments) {
    put_.execute(row.id, row.project_id, row.host_id, row.kind, row.status, row.status_detail,
                 row.name, row.path, row.intent, std::int64_t{row.is_git_repo ? 1 : 0},
                 std::int64_t{row.is_worktree ? 1 : 0}, row.branch_name, row.base_branch,
                 row.default_branch, row.merge_base_branch, row.phase, row.retire_at,
                 row.teardown_status, row.teardown_attempt, row.created_at, row.updated_at);
  }
}

}  // namespace svc::storage
