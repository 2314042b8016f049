#pragma once

#include <filesystem>
#include <stop_token>

#include "svc/kernel/result.h"

namespace svc::updates {

/// Writes a consistent copy of an SQLite database that others may be writing, mode 0600, durable when it returns.
/// Writers are not held up. False when `from` does not exist, `invalid_input` when it is no database. Blocking; asks `stop`
/// between pieces.
[[nodiscard]] Result<bool> copyDatabase(const std::filesystem::path& from,
                                        const std::filesystem::path& to,
                                        const std::stop_token& stop = {});

/// Puts a copy in place of a database that nobody has open, with its write-ahead log; without a copy the database goes.
/// Repeating it after an interruption ends the same. Blocking.
[[nodiscard]] Status replaceDatabase(const std::filesystem::path& copy,
                                     const std::filesystem::path& database,
                                     const std::stop_token& stop = {});

}  // namespace svc::updates
