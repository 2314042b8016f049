#include "core_database.h"

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "sqlite_connection.h"

namespace svc::updates {
namespace {

std::string text(sqlite3_stmt* row, int column) {
  const auto* bytes = static_cast<const char*>(sqlite3_column_blob(row, column));
  return bytes == nullptr
             ? std::string()
             : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(row, column)));
}

}  // namespace

Result<CoreDatabase> readCoreDatabase(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return Error{errc::kUnavailable, fmt::format("there is no core database {}", file.string())};
  }
  const auto connection = openSqlite(file, SQLITE_OPEN_READWRITE);
  if (!connection) {
    return connection.error();
  }
  auto* database = connection.value().get();
  CoreDatabase out;
  std::string health;
  for (auto status :
       {runSqlite(database, "PRAGMA quick_check(1)", {},
                  [&](sqlite3_stmt* row) { health = text(row, 0); }),
        runSqlite(database, "SELECT max(id) FROM schema_migrations", {},
                  [&](sqlite3_stmt* row) { out.schema = sqlite3_column_int64(row, 0); }),
        runSqlite(database, "SELECT id FROM plugins ORDER BY id", {},
                  [&](sqlite3_stmt* row) { out.plugins.push_back(text(row, 0)); })}) {
    if (!status) {
      return std::move(status).error();
    }
  }
  if (health != "ok") {
    return Error{errc::kUnavailable,
                 fmt::format("the database {} is damaged: {}", file.string(), health)};
  }
  return out;
}

}  // namespace svc::updates
