#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "svc/storage/schedule_store.h"

#include "database.h"

namespace svc::storage {

/// The table plugin_schedules, through statements prepared once. Thread of the connection; throws SqliteFailure.
class ScheduleTable {
 public:
  explicit ScheduleTable(const Database& database);

  [[nodiscard]] std::vector<ScheduleRow> list();
  void replace(const std::string& plugin_id, const std::vector<ScheduleSpec>& specs,
               std::int64_t now);
  [[nodiscard]] std::vector<ScheduleRow> due(const std::vector<std::string>& plugin_ids,
                                             std::int64_t now, std::size_t limit);
  [[nodiscard]] bool claim(const ScheduleClaim& claim, std::int64_t now);
  void finish(const ScheduleResult& result, std::int64_t now);
  /// The number of rows.
  [[nodiscard]] std::size_t interruptRunning(const std::string& why, std::int64_t now);

 private:
  sqlite3* connection_;
  Statement list_;
  Statement prune_;
  Statement upsert_;
  Statement due_;
  Statement claim_run_;
  Statement claim_skip_;
  Statement finish_;
  Statement interrupt_;
};

}  // namespace svc::storage
