#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <sqlite3.h>

#include "svc/kernel/result.h"

namespace svc::updates {

struct CloseSqlite {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
using SqliteConnection = std::unique_ptr<sqlite3, CloseSqlite>;

/// A connection of one thread. `flags` as of sqlite3_open_v2; `unavailable` with the file when it does not open.
[[nodiscard]] Result<SqliteConnection> openSqlite(const std::filesystem::path& file, int flags);
/// Runs one statement with text arguments and calls `row` for each row.
[[nodiscard]] Status runSqlite(sqlite3* database, const char* sql,
                               std::initializer_list<std::string> arguments,
                               const std::function<void(sqlite3_stmt* row)>& row = {});
[[nodiscard]] Error sqliteError(const std::filesystem::path& file, sqlite3* database);

}  // namespace svc::updates
