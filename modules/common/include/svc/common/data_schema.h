#pragma once

#include <cstddef>

namespace svc::common {

/// The last migration of the core database that this version knows. A test compares it with the migrations.
inline constexpr unsigned kCoreSchema = 14;
/// Where a file of SQLite has `PRAGMA user_version`, four bytes with the highest first: the core database keeps its schema there as well,
/// for programs without SQLite.
inline constexpr std::size_t kSchemaOffset = 60;

}  // namespace svc::common
