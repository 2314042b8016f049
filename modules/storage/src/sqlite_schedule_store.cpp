#include "sqlite_schedule_store.h"

#include "svc/storage/schedule_limits.h"

#include "blocking.h"

namespace svc::storage {

Result<std::vector<ScheduleRow>> SqliteScheduleStore::list() {
  return runBlocking(
      threads_, Access::kRead,
      [this](Side side) -> Result<std::vector<ScheduleRow>> { return table_.on(side).list(); });
}

Status SqliteScheduleStore::replace(const std::string& plugin_id,
                                    const std::vector<ScheduleSpec>& specs, std::int64_t now) {
  if (auto valid = checkSchedules(plugin_id, specs); !valid) {
    return valid;
  }
  return runBlocking(threads_, Access::kWrite, [this, plugin_id, specs, now](Side side) -> Status {
    return table_.on(side).replace(plugin_id, specs, now), Status{};
  });
}

Result<std::vector<ScheduleRow>> SqliteScheduleStore::due(
    const std::vector<std::string>& plugin_ids, std::int64_t now, std::size_t limit) {
  return runBlocking(threads_, Access::kRead,
                     [this, plugin_ids, now, limit](Side side) -> Result<std::vector<ScheduleRow>> {
                       return table_.on(side).due(plugin_ids, now, limit);
                     });
}

Result<std::vector<bool>> SqliteScheduleStore::claim(const std::vector<ScheduleClaim>& claims,
                                                     std::int64_t now) {
  return runBlocking(threads_, Access::kWrite,
                     [this, claims, now](Side side) -> Result<std::vector<bool>> {
                       std::vector<bool> won;
                       won.reserve(claims.size());
                       for (const auto& claim : claims) {
                         won.push_back(table_.on(side).claim(claim, now));
                       }
                       return won;
                     });
}

Status SqliteScheduleStore::finish(const std::vector<ScheduleResult>& results, std::int64_t now) {
  return runBlocking(threads_, Access::kWrite, [this, results, now](Side side) -> Status {
    for (const auto& result : results) {
      table_.on(side).finish(result, now);
    }
    return {};
  });
}

Result<std::size_t> SqliteScheduleStore::interruptRunning(const std::string& why,
                                                          std::int64_t now) {
  return runBlocking(threads_, Access::kWrite, [this, why, now](Side side) -> Result<std::size_t> {
    return table_.on(side).interruptRunning(why, now);
  });
}

}  // namespace svc::storage
