#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "svc/storage/schedule_store.h"

namespace svc::storage_memory {

/// Keeps schedules for as long as the object lives. Thread-safe.
class MemoryScheduleStore final : public storage::IScheduleStore {
 public:
  [[nodiscard]] Result<std::vector<storage::ScheduleRow>> list() override;
  [[nodiscard]] Status replace(const std::string& plugin_id,
                               const std::vector<storage::ScheduleSpec>& specs,
                               std::int64_t now) override;
  [[nodiscard]] Result<std::vector<storage::ScheduleRow>> due(
      const std::vector<std::string>& plugin_ids, std::int64_t now, std::size_t limit) override;
  [[nodiscard]] Result<std::vector<bool>> claim(const std::vector<storage::ScheduleClaim>& claims,
                                                std::int64_t now) override;
  [[nodiscard]] Status finish(const std::vector<storage::ScheduleResult>& results,
                              std::int64_t now) override;
  [[nodiscard]] Result<std::size_t> interruptRunning(const std::string& why,
                                                     std::int64_t now) override;
  void clear(const std::string& plugin_id);
  [[nodiscard]] std::vector<storage::ScheduleRow> rowsOf(const std::string& plugin_id);
  void replaceAll(const std::string& plugin_id, const std::vector<storage::ScheduleRow>& rows);

 private:
  using Key = std::pair<std::string, std::string>;

  [[nodiscard]] bool claimOne(const storage::ScheduleClaim& claim, std::int64_t now);

  std::mutex mutex_;
  /// By plugin and name.
  std::map<Key, storage::ScheduleRow> rows_;
};

}  // namespace svc::storage_memory
