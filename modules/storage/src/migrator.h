#pragma once

#include <filesystem>
#include <span>

#include "svc/kernel/executor.h"

#include "database.h"

namespace svc::storage {

/// One step of the schema. Numbers count from 1 without gaps; a released migration never changes.
struct Migration {
  int number = 0;
  const char* name = nullptr;
  const char* sql = nullptr;
};

/// The schema of the core database.
[[nodiscard]] std::span<const Migration> coreMigrations();

/// Brings the database to the last migration in one transaction, after a copy to `pre-migration-<n>.db` in
/// `backups`, n being the first migration that runs. A new database needs no copy. Refuses a database that a newer
/// program wrote, and one of another program.
[[nodiscard]] Status migrate(Database& database, std::span<const Migration> migrations,
                             const std::filesystem::path& backups, const IClock& clock);

}  // namespace svc::storage
