#include "sqlite_start_check.h"

#include <utility>

#include "sqlite_store.h"

namespace svc::storage {

SqliteStartCheck::SqliteStartCheck(const IClock& clock, std::shared_ptr<spdlog::logger> log)
    : clock_(clock), log_(std::move(log)) {}

Status SqliteStartCheck::check(const std::filesystem::path& data) {
  const auto store = SqliteStore::open(SqliteStoreOptions::of(data), clock_, log_);
  return store ? Status() : Status(store.error());
}

}  // namespace svc::storage
