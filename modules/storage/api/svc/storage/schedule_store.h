#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

/// One schedule of a plugin as the core database keeps it. Times are milliseconds since the epoch.
struct ScheduleRow {
  std::string plugin_id;
  std::string name;
  std::string cron;      ///< as the plugin wrote it
  std::string timezone;  ///< IANA name
  std::int64_t next_run_at = 0;
  std::optional<std::int64_t> last_run_at{};  ///< begin of the last run
  std::string last_status{};  ///< "running", "ok", "error"; empty before the first run
  std::string last_error{};   ///< empty unless the status is "error"
  bool last_run_missed = false;
  std::int64_t updated_at = 0;

  friend bool operator==(const ScheduleRow&, const ScheduleRow&) = default;
};

/// What a load registers.
struct ScheduleSpec {
  std::string name;
  std::string cron;
  std::string timezone;
  std::int64_t next_run_at = 0;  ///< used unless the row exists with the same expression and zone
};

/// Moves a row from the tick it shows to the next one.
struct ScheduleClaim {
  std::string plugin_id;
  std::string name;
  std::int64_t seen = 0;  ///< next_run_at as it was read
  std::int64_t next = 0;
  bool run = true;  ///< false: the tick is skipped, only next_run_at moves
  bool missed = false;
};

/// How a run ended.
struct ScheduleResult {
  std::string plugin_id;
  std::string name;
  std::int64_t started_at = 0;  ///< last_run_at of the claim; another run's row is left alone
  std::string error{};          ///< empty: ok
};

/// Schedules of plugins. Thread-safe. Every call blocks until the answer is durable, so it is never made from the io
/// thread or a script thread. Removing a plugin's row removes its schedules.
class IScheduleStore {
 public:
  static constexpr ServiceId kId{"svc.storage.ScheduleStore", 1};
  virtual ~IScheduleStore() = default;

  /// Ascending by plugin and name.
  [[nodiscard]] virtual Result<std::vector<ScheduleRow>> list() = 0;
  /// Removes the rows of the plugin that are not named and inserts or updates the others, in one step. A row whose
  /// expression and zone are unchanged keeps its next_run_at, unless that lies after the new one: a clock that was ahead has left it.
  [[nodiscard]] virtual Status replace(const std::string& plugin_id,
                                       const std::vector<ScheduleSpec>& specs,
                                       std::int64_t now) = 0;
  /// Rows of these plugins with next_run_at ≤ now, the longest due first, at most `limit`.
  [[nodiscard]] virtual Result<std::vector<ScheduleRow>> due(
      const std::vector<std::string>& plugin_ids, std::int64_t now, std::size_t limit) = 0;
  /// For each claim whether it was won: only while the row's next_run_at equals `seen`. A won run has last_status
  /// "running", last_run_at `now` and no last_error.
  [[nodiscard]] virtual Result<std::vector<bool>> claim(const std::vector<ScheduleClaim>& claims,
                                                        std::int64_t now) = 0;
  /// Records ends of runs. A row that is gone, or that another run has taken, is left alone.
  [[nodiscard]] virtual Status finish(const std::vector<ScheduleResult>& results,
                                      std::int64_t now) = 0;
  /// Sets every row at "running" to "error" with `why`: what a crash has left. The number of rows.
  [[nodiscard]] virtual Result<std::size_t> interruptRunning(const std::string& why,
                                                             std::int64_t now) = 0;
};

}  // namespace svc::storage
