#include "migrator.h"

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "sqlite_failure.h"

namespace svc::storage {
namespace {

bool hasTable(Database& database, std::string_view name) {
  Statement query(database.handle(), "SELECT 1 FROM sqlite_master WHERE type='table' AND name=?");
  return query.run(name).next();
}

bool isEmpty(Database& database) {
  Statement query(database.handle(), "SELECT 1 FROM sqlite_master LIMIT 1");
  return !query.run().next();
}

Result<int> currentVersion(Database& database) {
  if (isEmpty(database)) {
    return 0;
  }
  if (!hasTable(database, "schema_migrations")) {
    return Error{
        errc::kUnavailable,
        fmt::format(
            "{} belongs to another program (it has no table schema_migrations); move it away, or "
            "choose another data folder",
            database.file().string())};
  }
  Statement query(database.handle(), "SELECT coalesce(max(id), 0) FROM schema_migrations");
  auto rows = query.run();
  rows.next();
  return static_cast<int>(rows.integer(0));
}

void applyAll(Database& database, std::span<const Migration> pending, const IClock& clock) {
  const auto run = [&](const char* sql) {
    if (auto status = database.execute(sql); !status) {
      throw SqliteFailure(status.error());
    }
  };
  run("CREATE TABLE IF NOT EXISTS schema_migrations (id INTEGER PRIMARY KEY, name TEXT NOT NULL, "
      "applied_at INTEGER "
      "NOT NULL) STRICT");
  Statement record(database.handle(),
                   "INSERT INTO schema_migrations (id, name, applied_at) VALUES (?, ?, ?)");
  for (const auto& migration : pending) {
    try {
      run(migration.sql);
      record.execute(std::int64_t{migration.number}, std::string_view(migration.name),
                     clock.nowMs());
    } catch (const SqliteFailure& failure) {
      throw SqliteFailure(
          Error{failure.error().code,
                fmt::format("migration {} ({}) failed and was undone: {}", migration.number,
                            migration.name, failure.error().message)});
    }
  }
  // Where `svc doctor` reads it, which has no SQLite (svc/common/data_schema.h).
  run(fmt::format("PRAGMA user_version = {}", pending.back().number).c_str());
}

Status applyInTransaction(Database& database, std::span<const Migration> pending,
                          const IClock& clock) {
  if (auto begun = database.begin(); !begun) {
    return begun;
  }
  auto status = noThrow([&]() -> Status { return applyAll(database, pending, clock), Status{}; });
  if (status) {
    status = database.commit();
  }
  database.rollback();
  return status;
}

}  // namespace

Status migrate(Database& database, std::span<const Migration> migrations,
               const std::filesystem::path& backups, const IClock& clock) {
  return noThrow([&]() -> Status {
    const auto version = currentVersion(database);
    if (!version) {
      return version.error();
    }
    const auto current = static_cast<std::size_t>(version.value());
    if (current > migrations.size()) {
      return Error{
          errc::kIncompatible,
          fmt::format(
              "{} was written by a newer version of this program (its schema is {}, this program "
              "knows up to {}); start that version, or put a copy from {} in its place, and remove "
              "{}-wal and {}-shm",
              database.file().string(), current, migrations.size(), backups.string(),
              database.file().string(), database.file().string())};
    }
    if (auto durable = database.makeDurable(); !durable) {
      return durable;
    }
    const auto pending = migrations.subspan(current);
    if (pending.empty()) {
      return {};
    }
    if (current > 0) {
      const auto copy = backups / fmt::format("pre-migration-{}.db", pending.front().number);
      if (auto copied = database.backup(copy); !copied) {
        return Error{copied.error().code,
                     fmt::format("cannot copy the database to {} before changing its schema: {}",
                                 copy.string(), copied.error().message)};
      }
    }
    return applyInTransaction(database, pending, clock);
  });
}

}  // namespace svc::storage
