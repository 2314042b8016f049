#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <spdlog/logger.h>

#include "svc/kernel/executor.h"
#include "svc/kernel/thread_bound.h"
#include "svc/plugins/plugins.h"
#include "svc/plugins/schedules.h"
#include "svc/storage/schedule_store.h"

#include "job_queue.h"
#include "schedule_run.h"
#include "time_zones.h"

namespace svc::plugins {

/// When schedules run: it keeps their rows, claims what is due once a lim.scheduleSweep, and records how runs ended.
/// Lives on the main thread (run() may be called from any); the store is asked on workers, one request at a time.
class Scheduler final : public ISchedules, public std::enable_shared_from_this<Scheduler> {
 public:
  struct Context {
    IMainExecutor& main;
    IWorkerPool& workers;
    const IClock& clock;
    storage::IScheduleStore& store;
    std::shared_ptr<ILoadedPlugins> loaded;
    std::shared_ptr<spdlog::logger> log;
    NamedZone zone;
    /// Told what keeps all schedules waiting; empty when nothing does.
    std::function<void(std::string)> on_waiting = [](std::string) {};
  };

  explicit Scheduler(Context context);

  /// Marks what a crash has left, reads the rows and begins to sweep. Blocks: once, before anything is loaded. When nothing
  /// can be written now, schedules wait until it can.
  [[nodiscard]] Status open();
  /// Called after the rows have changed.
  void onChanged(std::function<void()> listener) { changed_ = std::move(listener); }
  /// The plugin's schedules, ascending by name.
  [[nodiscard]] std::vector<ScheduleInfo> records(const std::string& plugin_id) const;

  void run(std::string plugin_id, std::string name, Completion<ScheduleInfo> done) override;
  [[nodiscard]] std::string timezone() const override {
    main_thread_.check();
    return with_.zone.name;
  }
  /// Computes when everything that is loaded runs next.
  void setZone(NamedZone zone);

  /// Makes the rows those of this generation's registration (load step 11). Always succeeds: a full disk costs the
  /// schedules, not the load, and is in the plugin's log.
  void commit(const GenerationPtr& generation, Completion<void> done);
  /// A schedule was registered; one that comes after the load is stored at once. Any thread.
  void registered(const std::weak_ptr<IGeneration>& generation);
  /// The plugin is enabled again: what was due meanwhile is not.
  void resume(const std::string& plugin_id);
  /// Aborts the signals of a generation's runs.
  void abortRuns(const IGeneration& generation);
  /// No sweep and no record any more.
  void close();

 private:
  using Rows = std::vector<storage::ScheduleRow>;
  using Key = std::pair<std::string, std::string>;  ///< plugin and name
  using RunPtr = std::shared_ptr<ScheduleRun>;
  /// What waits for the end of a run to be stored.
  struct Ended {
    storage::ScheduleResult result;
    Status outcome;
    std::shared_ptr<Completion<ScheduleInfo>> waiter;
  };

  /// Queues a blocking request; afterwards the rows are read again when it changed them.
  template <class T>
  void ask(std::function<Result<T>()> request, bool changes, Completion<T> done);
  template <class T>
  Course<T> askInTurn(std::function<Result<T>()> request, bool changes);
  void refresh(Rows rows);
  [[nodiscard]] const storage::ScheduleRow* find(const Key& key) const;
  [[nodiscard]] std::optional<ScheduleInfo> info(const Key& key) const;
  [[nodiscard]] std::vector<storage::ScheduleSpec> specsOf(const IGeneration& generation,
                                                           std::int64_t now) const;
  [[nodiscard]] std::int64_t nextRun(const std::string& cron, std::int64_t now) const;

  /// Schedules whose next run lies beyond the next tick have it from a clock that was ahead.
  void comeBack(std::int64_t now);
  /// Moves next runs without running anything. `otherwise`: the log's words when they cannot be stored.
  void move(std::vector<storage::ScheduleClaim> claims, std::int64_t now,
            const std::string& otherwise);
  /// False when it cannot be written.
  bool marked(const Result<std::size_t>& interrupted);
  void armSweep();
  void sweep();
  void claimDue(const Rows& due, const std::vector<storage::ScheduleClaim>& claims,
                std::int64_t now);
  [[nodiscard]] storage::ScheduleClaim claimOf(const storage::ScheduleRow& row, std::int64_t now);
  void sweepDone(std::int64_t now);
  void sweepFailed(const Error& error);

  void runNow(const Key& key, Completion<ScheduleInfo> done);
  void claimNow(const storage::ScheduleRow& row, Completion<ScheduleInfo> done);
  [[nodiscard]] RunPtr reserve(const Key& key);
  void begin(const Key& key, const RunPtr& run);
  void ended(const Key& key, const RunPtr& run, const Status& outcome);
  void record(const Key& key, const RunPtr& run, Status outcome);
  void logOverrun(const Key& key, const Error& error) const;
  void flush();
  void recorded(const Status& stored, std::vector<Ended> batch);

  Context with_;
  JobQueue jobs_;
  std::function<void()> changed_;
  /// As stored, ascending by plugin and name.
  Rows rows_;
  std::map<Key, RunPtr> running_;
  /// Ends of runs since the last sweep: a tick before them fell into the run.
  std::map<Key, std::int64_t> just_ended_;
  std::vector<Ended> unrecorded_;
  std::int64_t started_at_ = 0;
  Handle sweep_timer_;
  /// What ran when the server went down is marked as interrupted. Until then nothing runs: it would be marked, too.
  bool marked_ = false;
  /// Wall clock of the last sweep.
  std::int64_t swept_at_ = 0;
  bool sweeping_ = false;
  bool flushing_ = false;
  bool failing_ = false;
  bool closed_ = false;
  ThreadBound main_thread_;
};

template <class T>
void Scheduler::ask(std::function<Result<T>()> request, bool changes, Completion<T> done) {
  askInTurn<T>(std::move(request), changes).start(std::move(done));
}

template <class T>
Course<T> Scheduler::askInTurn(std::function<Result<T>()> request, bool changes) {
  const auto self = shared_from_this();
  Error full{errc::kOverloaded, "too many schedule requests are waiting; try again"};
  const auto turn = co_await jobs_.turn(std::move(full));
  if (!turn) {
    co_return turn.error();
  }
  struct Answer {
    Result<T> result;
    std::optional<Result<Rows>> rows;
  };
  const auto work = [request = std::move(request), changes,
                     &store = with_.store]() -> Result<Answer> {
    auto result = request();
    const bool read = changes && result.ok();
    return Answer{std::move(result), read ? std::optional(store.list()) : std::nullopt};
  };
  auto answer = co_await onWorker(with_.workers, with_.main, work);
  if (!answer) {
    co_return std::move(answer).error();
  }
  auto& [result, rows] = answer.value();
  if (rows && rows->ok()) {
    refresh(std::move(*rows).value());
  }
  co_return std::move(result);
}

}  // namespace svc::plugins
