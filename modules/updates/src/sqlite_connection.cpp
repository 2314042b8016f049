#include "sqlite_connection.h"

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/storage.h"

namespace svc::updates {

Error sqliteError(const std::filesystem::path& file, sqlite3* database) {
  return {errc::kUnavailable,
          fmt::format("the database {}: {}", file.string(),
                      database != nullptr ? sqlite3_errmsg(database) : "out of memory")};
}

Result<SqliteConnection> openSqlite(const std::filesystem::path& file, int flags) {
  sqlite3* database = nullptr;
  const int result = sqlite3_open_v2(file.c_str(), &database, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  SqliteConnection connection(database);
  if (result != SQLITE_OK) {
    return sqliteError(file, database);
  }
  sqlite3_busy_timeout(database, static_cast<int>(limits::kBusyTimeout.count()));
  return connection;
}

Status runSqlite(sqlite3* database, const char* sql, std::initializer_list<std::string> arguments,
                 const std::function<void(sqlite3_stmt* row)>& row) {
  sqlite3_stmt* prepared = nullptr;
  const auto* name = sqlite3_db_filename(database, "main");
  if (sqlite3_prepare_v2(database, sql, -1, &prepared, nullptr) != SQLITE_OK) {
    return sqliteError(name, database);
  }
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement(prepared,
                                                                             sqlite3_finalize);
  int index = 0;
  for (const auto& argument : arguments) {
    sqlite3_bind_text(prepared, ++index, argument.data(), static_cast<int>(argument.size()),
                      nullptr);
  }
  int result = SQLITE_ROW;
  while ((result = sqlite3_step(prepared)) == SQLITE_ROW) {
    if (row) {
      row(prepared);
    }
  }
  return result == SQLITE_DONE ? Status() : Status(sqliteError(name, database));
}

}  // namespace svc::updates
