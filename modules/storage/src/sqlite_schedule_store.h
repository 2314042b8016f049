#pragma once

#include "svc/storage/schedule_store.h"

#include "schedule_table.h"
#include "sides.h"
#include "store_threads.h"

namespace svc::storage {

/// Thread-safe: every call waits for a request of the store threads.
class SqliteScheduleStore final : public IScheduleStore {
 public:
  SqliteScheduleStore(OnBothSides<ScheduleTable>& table, StoreThreads& threads)
      : table_(table), threads_(threads) {}

  [[nodiscard]] Result<std::vector<ScheduleRow>> list() override;
  [[nodiscard]] Status replace(const std::string& plugin_id, const std::vector<ScheduleSpec>& specs,
                               std::int64_t now) override;
  [[nodiscard]] Result<std::vector<ScheduleRow>> due(const std::vector<std::string>& plugin_ids,
                                                     std::int64_t now, std::size_t limit) override;
  [[nodiscard]] Result<std::vector<bool>> claim(const std::vector<ScheduleClaim>& claims,
                                                std::int64_t now) override;
  [[nodiscard]] Status finish(const std::vector<ScheduleResult>& results,
                              std::int64_t now) override;
  [[nodiscard]] Result<std::size_t> interruptRunning(const std::string& why,
                                                     std::int64_t now) override;

 private:
  OnBothSides<ScheduleTable>& table_;
  StoreThreads& threads_;
};

}  // namespace svc::storage
