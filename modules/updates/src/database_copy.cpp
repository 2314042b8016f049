#include "database_copy.h"

#include <system_error>

#include "svc/base/files.h"
#include "svc/common/codes.h"

#include "files.h"
#include "sqlite_connection.h"

namespace svc::updates {
namespace {

namespace fs = std::filesystem;

/// A stop is heard after so many pages.
constexpr int kPages = 256;

Status copyPages(sqlite3* source, sqlite3* target, const fs::path& to,
                 const std::stop_token& stop) {
  // All steps in one transaction: one snapshot, which a writer with a write-ahead log does not make start over.
  for (const auto* sql : {"BEGIN", "SELECT count(*) FROM sqlite_schema"}) {
    if (auto status = runSqlite(source, sql, {}); !status) {
      switch (sqlite3_errcode(source)) {
        case SQLITE_NOTADB:
          return Error{errc::kInvalidInput, status.error().message};
        case SQLITE_BUSY:
          return Error{errc::kTimeout, status.error().message};
        default:
          return status;
      }
    }
  }
  auto* backup = sqlite3_backup_init(target, "main", source, "main");
  if (backup == nullptr) {
    return sqliteError(to, target);
  }
  int result = SQLITE_OK;
  while (result == SQLITE_OK && !stop.stop_requested()) {
    result = sqlite3_backup_step(backup, kPages);
  }
  sqlite3_backup_finish(backup);
  if (result == SQLITE_OK) {
    return stopped();
  }
  return result == SQLITE_DONE ? Status() : Status(sqliteError(to, target));
}

Status removeJournals(const fs::path& database) {
  for (const auto* suffix : {"-wal", "-shm", "-journal"}) {
    auto journal = database;
    journal += suffix;
    if (auto status = removeTree(journal); !status) {
      return status;
    }
  }
  return {};
}

}  // namespace

Result<bool> copyDatabase(const fs::path& from, const fs::path& to, const std::stop_token& stop) {
  std::error_code ignored;
  if (!fs::exists(from, ignored)) {
    return false;
  }
  if (auto status = removeTree(to); !status) {
    return std::move(status).error();
  }
  // The file has its mode before there is anything in it.
  if (auto status = base::replaceFile(to, ""); !status) {
    return std::move(status).error();
  }
  const auto source = openSqlite(from, SQLITE_OPEN_READWRITE);
  const auto target = openSqlite(to, SQLITE_OPEN_READWRITE);
  if (!source || !target) {
    return source ? target.error() : source.error();
  }
  if (auto status = copyPages(source.value().get(), target.value().get(), to, stop); !status) {
    return std::move(status).error();
  }
  // One file without a log beside it.
  if (auto status = runSqlite(target.value().get(), "PRAGMA journal_mode=DELETE", {}); !status) {
    return std::move(status).error();
  }
  return true;
}

Status replaceDatabase(const fs::path& copy, const fs::path& database,
                       const std::stop_token& stop) {
  std::error_code ignored;
  if (!fs::exists(copy, ignored)) {
    if (auto status = removeTree(database); !status) {
      return status;
    }
    return removeJournals(database);
  }
  auto temporary = database;
  temporary += ".restore";
  if (auto status = copyFile(copy, temporary, stop); !status) {
    return status;
  }
  // Before the rename: a log of the replaced database must never meet the copy.
  if (auto status = removeJournals(database); !status) {
    return status;
  }
  return renamePath(temporary, database);
}

}  // namespace svc::updates
