#include "mcp_token_table.h"

#include <utility>

namespace svc::storage {

McpTokenTable::McpTokenTable(const Database& database)
    : list_(database.handle(),
            "SELECT id, name, hash, scope, created_at, last_used_at FROM mcp_tokens ORDER BY name"),
      taken_(database.handle(), "SELECT 1 FROM mcp_tokens WHERE id=? OR name=? OR hash=?"),
      insert_(database.handle(),
              "INSERT INTO mcp_tokens (id, name, hash, scope, created_at, last_used_at) "
              "VALUES (?, ?, ?, ?, ?, ?)"),
      remove_(database.handle(), "DELETE FROM mcp_tokens WHERE id=?"),
      used_(database.handle(),
            "UPDATE mcp_tokens SET last_used_at=max(last_used_at, ?) WHERE id=?") {}

std::vector<McpTokenRow> McpTokenTable::list() {
  std::vector<McpTokenRow> out;
  auto rows = list_.run();
  while (rows.next()) {
    McpTokenRow row;
    row.id = rows.text(0);
    row.name = rows.text(1);
    row.hash = rows.text(2);
    row.scope = rows.text(3);
    row.created_at = rows.integer(4);
    row.last_used_at = rows.integer(5);
    out.push_back(std::move(row));
  }
  return out;
}

bool McpTokenTable::insert(const McpTokenRow& row) {
  if (auto rows = taken_.run(row.id, row.name, row.hash); rows.next()) {
    return false;
  }
  insert_.execute(row.id, row.name, row.hash, row.scope, row.created_at, row.last_used_at);
  return true;
}

void McpTokenTable::remove(const std::string& id) { remove_.execute(id); }

void McpTokenTable::used(const std::string& id, std::int64_t at) { used_.execute(at, id); }

}  // namespace svc::storage
