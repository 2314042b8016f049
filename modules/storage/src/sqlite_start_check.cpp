#include "sqlite_start_check.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/shown_text.h"

#include "sqlite_store.h"

namespace svc::storage {
namespace {

constexpr std::string_view kIdCharacters = "abcdefghijklmnopqrstuvwxyz0123456789-";

}  // namespace

SqliteStartCheck::SqliteStartCheck(const IClock& clock, std::shared_ptr<spdlog::logger> log)
    : clock_(clock), log_(std::move(log)) {}

Status SqliteStartCheck::check(const std::filesystem::path& data) {
  const auto store = SqliteStore::open(SqliteStoreOptions::of(data), clock_, log_);
  if (!store) {
    return store.error();
  }
  const auto rows = store.value()->plugins().list();
  if (!rows) {
    return rows.error();
  }
  for (const auto& row : rows.value()) {
    // Directories have their names.
    if (row.id.empty() || row.id.find_first_not_of(kIdCharacters) != std::string::npos) {
      return Error{errc::kInvalidArgument,
                   fmt::format("it has a plugin \"{}\", which none can be called",
                               common::shownOnOneLine(row.id))};
    }
  }
  return {};
}

}  // namespace svc::storage
