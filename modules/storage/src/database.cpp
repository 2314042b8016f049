#include "database.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include <Poco/Data/SQLite/Connector.h>
#include <Poco/Data/SQLite/Utility.h>
#include <Poco/Data/Session.h>
#include <Poco/Exception.h>
#include <fmt/format.h>

#include "svc/common/fold.h"

#include "sqlite_failure.h"

namespace svc::storage {
namespace {

constexpr int kBusyTimeoutMs = 5000;
/// From this length on every commit copies of the write-ahead log what no reader needs any more.
constexpr int kFoldedLogPages = 1000;

SqliteFailure fileFailure(const std::filesystem::path& file, const char* action) {
  return SqliteFailure(
      Error{errc::kUnavailable,
            fmt::format("cannot {} {}: {}; check the disk and the permissions of the folder",
                        action, file.string(), std::generic_category().message(errno))});
}

void syncPath(const std::filesystem::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  if (descriptor < 0) {
    throw fileFailure(path, "open");
  }
  const int outcome = ::fsync(descriptor);
  ::close(descriptor);
  if (outcome != 0) {
    throw fileFailure(path, "sync");
  }
}

// SQLite would create the file readable for everyone; the write-ahead log takes the mode of the file.
void createPrivate(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor < 0) {
    throw fileFailure(file, "open");
  }
  const int outcome = ::fchmod(descriptor, S_IRUSR | S_IWUSR);
  ::close(descriptor);
  if (outcome != 0) {
    throw fileFailure(file, "make private");
  }
  syncPath(file.parent_path(), O_RDONLY | O_DIRECTORY);
}

std::unique_ptr<Poco::Data::Session> openSession(const std::filesystem::path& file) {
  Poco::Data::SQLite::Connector::registerConnector();
  return std::make_unique<Poco::Data::Session>("SQLite", file.string());
}

/// contains_folded(text, needle): whether the text has the folded needle, whatever its own case. lower() of SQLite knows ASCII only.
void containsFolded(sqlite3_context* context, int /*count*/, sqlite3_value** values) {
  const auto textOf = [](sqlite3_value* value) {
    const auto* const bytes = static_cast<const char*>(sqlite3_value_blob(value));
    return std::string_view(bytes == nullptr ? "" : bytes,
                            static_cast<std::size_t>(sqlite3_value_bytes(value)));
  };
  const bool found =
      common::foldCase(textOf(values[0])).find(textOf(values[1])) != std::string::npos;
  sqlite3_result_int(context, found ? 1 : 0);
}

}  // namespace

struct Database::TransactionStatements {
  explicit TransactionStatements(sqlite3* handle)
      : begin(handle, "BEGIN IMMEDIATE"),
        open_snapshot(handle, "BEGIN"),
        commit(handle, "COMMIT"),
        rollback(handle, "ROLLBACK"),
        open_savepoint(handle, "SAVEPOINT request"),
        keep_savepoint(handle, "RELEASE request"),
        undo_savepoint(handle, "ROLLBACK TO request") {}

  Statement begin;
  Statement open_snapshot;
  Statement commit;
  Statement rollback;
  Statement open_savepoint;
  Statement keep_savepoint;
  Statement undo_savepoint;
};

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& file) {
  return noThrow([&]() -> Result<std::unique_ptr<Database>> {
    createPrivate(file);
    return connect(file, Use::kWrite);
  });
}

Result<std::unique_ptr<Database>> Database::openReader(const std::filesystem::path& file) {
  return noThrow([&] { return connect(file, Use::kRead); });
}

Result<std::unique_ptr<Database>> Database::connect(const std::filesystem::path& file, Use use) {
  try {
    return std::unique_ptr<Database>(new Database(file, use));
  } catch (const Poco::Exception& failure) {
    return Error{errc::kUnavailable,
                 fmt::format("cannot open {}: {}; check its owner and permissions", file.string(),
                             failure.displayText())};
  }
}

Database::Database(std::filesystem::path file, Use use)
    : file_(std::move(file)),
      use_(use),
      session_(openSession(file_)),
      handle_(Poco::Data::SQLite::Utility::dbHandle(*session_)) {
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, kBusyTimeoutMs);
  sqlite3_create_function_v2(handle_, "contains_folded", 2,
                             SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, nullptr,
                             containsFolded, nullptr, nullptr, nullptr);
  // The first read finds out whether the file is a database at all.
  Statement(handle_, "SELECT count(*) FROM sqlite_master").execute();
  if (use_ == Use::kRead) {
    Statement(handle_, "PRAGMA query_only=ON").execute();
  } else {
    sqlite3_wal_hook(handle_, onCommit, this);
  }
  statements_ = std::make_unique<TransactionStatements>(handle_);
}

Database::~Database() {
  rollback();
  statements_.reset();
  if (use_ == Use::kWrite) {
    // A failure leaves the log beside the file; the next start reads it.
    sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  }
  try {
    session_->close();
  } catch (const Poco::Exception&) {
    // Nothing is lost: what was acknowledged is in the file or its log.
  }
}

int Database::onCommit(void* self, sqlite3* connection, const char* schema, int pages) {
  static_cast<Database*>(self)->log_pages_ = static_cast<std::size_t>(pages);
  if (pages >= kFoldedLogPages) {
    // The commit stands whether or not this succeeds.
    sqlite3_wal_checkpoint_v2(connection, schema, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  }
  return SQLITE_OK;
}

Status Database::makeDurable() {
  return noThrow([&]() -> Status {
    Statement journal(handle_, "PRAGMA journal_mode=WAL");
    std::string mode;
    {
      auto rows = journal.run();
      mode = rows.next() ? rows.text(0) : "";
    }
    if (mode != "wal") {
      return Error{
          errc::kUnavailable,
          fmt::format(
              "{} cannot use a write-ahead log (journal mode is \"{}\"); move the data folder to a "
              "local file system",
              file_.string(), mode)};
    }
    return execute(
        "PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA journal_size_limit=67108864");
  });
}

Status Database::execute(const char* sql) {
  const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
  return code == SQLITE_OK ? Status{} : SqliteFailure(handle_, code).error();
}

Status Database::backup(const std::filesystem::path& copy) {
  return noThrow([&]() -> Status {
    auto partial = copy;
    partial += ".partial";
    std::filesystem::create_directories(copy.parent_path());
    std::filesystem::permissions(copy.parent_path(), std::filesystem::perms::owner_all);
    std::filesystem::remove(partial);
    createPrivate(partial);
    Statement(handle_, "VACUUM INTO ?").execute(partial.string());
    // VACUUM INTO does not sync what it writes.
    syncPath(partial, O_RDONLY);
    std::filesystem::rename(partial, copy);
    syncPath(copy.parent_path(), O_RDONLY | O_DIRECTORY);
    return {};
  });
}

Status Database::begin() {
  return noThrow([&]() -> Status { return statements_->begin.execute(), Status{}; });
}

Status Database::commit() {
  return noThrow([&]() -> Status { return statements_->commit.execute(), Status{}; });
}

void Database::rollback() {
  if (active()) {
    // A rollback that reports a failure has still ended the transaction.
    static_cast<void>(
        noThrow([&]() -> Status { return statements_->rollback.execute(), Status{}; }));
  }
}

bool Database::active() const { return sqlite3_get_autocommit(handle_) == 0; }

void Database::openSnapshot() {
  static_cast<void>(
      noThrow([&]() -> Status { return statements_->open_snapshot.execute(), Status{}; }));
}

void Database::closeSnapshot() { rollback(); }

Status Database::openSavepoint() {
  return noThrow([&]() -> Status { return statements_->open_savepoint.execute(), Status{}; });
}

Status Database::keepSavepoint() {
  return noThrow([&]() -> Status { return statements_->keep_savepoint.execute(), Status{}; });
}

Status Database::undoSavepoint() {
  return noThrow([&]() -> Status {
    statements_->undo_savepoint.execute();
    statements_->keep_savepoint.execute();
    return {};
  });
}

Status Database::tryWrite() {
  // One page may still fit where the next real write does not.
  constexpr std::uintmax_t kRoom = 1024 * 1024;
  std::error_code unknown;
  if (std::filesystem::space(file_, unknown).available < kRoom && !unknown) {
    return sqliteError(SQLITE_FULL, ENOSPC, file_.string(), "less than 1 MiB is free");
  }
  // Setting the number of the schema writes its page, whatever it was before.
  auto written = noThrow([&]() -> Status {
    statements_->begin.execute();
    std::int64_t version = 0;
    {
      Statement query(handle_, "PRAGMA user_version");
      auto rows = query.run();
      version = rows.next() ? rows.integer(0) : 0;
    }
    if (auto set = execute(fmt::format("PRAGMA user_version = {}", version).c_str()); !set) {
      return set;
    }
    return statements_->commit.execute(), Status{};
  });
  if (!written) {
    rollback();
  }
  return written;
}

void Database::foldLog() {
  log_pages_ = 0;
  sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
}

void Database::interrupt() { sqlite3_interrupt(handle_); }

}  // namespace svc::storage
