#include "statement.h"

#include "sqlite_failure.h"

namespace svc::storage {

Run::~Run() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

bool Run::next() {
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) {
    return true;
  }
  if (code == SQLITE_DONE) {
    return false;
  }
  throw SqliteFailure(sqlite3_db_handle(statement_), code);
}

std::string Run::text(int column) const { return std::string(view(column)); }

std::string_view Run::view(int column) const {
  const void* data = sqlite3_column_text(statement_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return data == nullptr ? std::string_view{}
                         : std::string_view{static_cast<const char*>(data), size};
}

std::int64_t Run::integer(int column) const { return sqlite3_column_int64(statement_, column); }

Statement::Statement(sqlite3* connection, std::string_view sql) {
  const int code = sqlite3_prepare_v3(connection, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
  if (code != SQLITE_OK) {
    throw SqliteFailure(connection, code);
  }
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::bind(int index, std::string_view text) {
  // A null pointer would bind NULL instead of an empty text.
  const char* data = text.data() == nullptr ? "" : text.data();
  const int code =
      sqlite3_bind_text64(statement_, index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) {
    throw SqliteFailure(sqlite3_db_handle(statement_), code);
  }
}

void Statement::bind(int index, std::int64_t number) {
  const int code = sqlite3_bind_int64(statement_, index, number);
  if (code != SQLITE_OK) {
    throw SqliteFailure(sqlite3_db_handle(statement_), code);
  }
}

}  // namespace svc::storage
