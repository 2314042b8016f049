#include "terminal_table.h"

#include <utility>

namespace svc::storage {

TerminalTable::TerminalTable(const Database& database)
    : list_(database.handle(),
            "SELECT id, host_id, scope, thread_id, environment_id, title, status, exit_code, "
            "close_reason, initial_cwd, columns, rows, last_input_at, created_at, updated_at "
            "FROM terminals ORDER BY created_at, id"),
      put_(
          database.handle(),
          "INSERT OR REPLACE INTO terminals (id, host_id, scope, thread_id, environment_id, title, "
          "status, exit_code, close_reason, initial_cwd, columns, rows, last_input_at, created_at, "
          "updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
      remove_(database.handle(), "DELETE FROM terminals WHERE id=?") {}

std::vector<TerminalRow> TerminalTable::terminals() {
  std::vector<TerminalRow> out;
  auto rows = list_.run();
  while (rows.next()) {
    int column = 0;
    TerminalRow row;
    row.id = rows.text(column++);
    row.host_id = rows.text(column++);
    row.scope = rows.text(column++);
    row.thread_id = rows.text(column++);
    row.environment_id = rows.text(column++);
    row.title = rows.text(column++);
    row.status = rows.text(column++);
    row.exit_code = rows.integer(column++);
    row.close_reason = rows.text(column++);
    row.initial_cwd = rows.text(column++);
    row.columns = rows.integer(column++);
    row.rows = rows.integer(column++);
    row.last_input_at = rows.integer(column++);
    row.created_at = rows.integer(column++);
    row.updated_at = rows.integer(column);
    out.push_back(std::move(row));
  }
  return out;
}

void TerminalTable::apply(const TerminalChange& change) {
  for (const auto& id : change.gone) {
    remove_.execute(id);
  }
  for (const auto& row : change.terminals) {
    put_.execute(row.id, row.host_id, row.scope, row.thread_id, row.environment_id, row.title,
                 row.status, row.exit_code, row.close_reason, row.initial_cwd, row.columns,
                 row.rows, row.last_input_at, row.created_at, row.updated_at);
  }
}

}  // namespace svc::storage
