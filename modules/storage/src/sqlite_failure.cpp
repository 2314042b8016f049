#include "sqlite_failure.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace svc::storage {
namespace {

std::string fileOf(sqlite3* connection) {
  const char* name = connection == nullptr ? nullptr : sqlite3_db_filename(connection, "main");
  return name == nullptr || *name == '\0' ? "the database" : name;
}

bool isOutOfSpace(int code, int system_errno) {
  return code == SQLITE_FULL ||
         (code == SQLITE_IOERR && (system_errno == ENOSPC || system_errno == EDQUOT));
}

std::string withCause(const std::string& detail, int system_errno) {
  return system_errno == 0
             ? detail
             : fmt::format("{}: {}", detail, std::generic_category().message(system_errno));
}

}  // namespace

Error sqliteError(int code, int system_errno, const std::string& file, const std::string& detail) {
  const int primary = code & 0xff;
  if (isOutOfSpace(primary, system_errno)) {
    return {errc::kUnavailable,
            fmt::format("disk full: {} cannot grow; free space on its disk", file)};
  }
  const std::string cause = withCause(detail, system_errno);
  switch (primary) {
    case SQLITE_IOERR:
      return {errc::kUnavailable,
              fmt::format("input/output error on {} ({}); check the disk", file, cause)};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: {
      const auto backups = std::filesystem::path(file).parent_path() / "backups";
      std::error_code ignored;
      return {errc::kUnavailable,
              fmt::format(
                  "{} is damaged or not a database ({}); stop the service, move the file away, ",
                  file, cause) +
                  (std::filesystem::exists(backups, ignored)
                       ? "and put the newest good copy in its place (copies are in " +
                             backups.string() + ")"
                       : std::string("start it again and restore a backup with `svc restore`"))};
    }
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {
          errc::kUnavailable,
          fmt::format("{} is locked by another program; close that program and try again", file)};
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_READONLY:
      return {errc::kUnavailable,
              fmt::format("{} cannot be opened for writing ({}); check its owner and permissions, "
                          "and those of its folder",
                          file, cause)};
    case SQLITE_CONSTRAINT:
      return {errc::kConflict,
              fmt::format("{} has a row that contradicts this one ({})", file, cause)};
    case SQLITE_INTERRUPT:
      return {errc::kAborted,
              fmt::format("work on {} was interrupted because the service stops", file)};
    default:
      return {errc::kInternal, fmt::format("{}: {} (SQLite code {})", file, cause, code)};
  }
}

SqliteFailure::SqliteFailure(sqlite3* connection, int code)
    : SqliteFailure(sqliteError(code,
                                (code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN
                                    ? sqlite3_system_errno(connection)
                                    : 0,
                                fileOf(connection), sqlite3_errmsg(connection))) {}

}  // namespace svc::storage
