#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "svc/common/limits/worktrees.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"

namespace svc::worktrees {

/// Clones, places and scripts, each on a thread of its own, since they may take longer than anything else that waits for a worker.
/// limits::kLongJobs run at a time, limits::kLongJobsWaiting more wait for their turn in order. Thread-safe; its end stops all of
/// them and waits for them.
class LongJobs {
 public:
  /// Returns what tells of its end, which is called when it counts no more: whoever hears of it may begin the next. One that was
  /// cancelled while it waited is called with a stop that is requested.
  using Job = std::function<Task(std::stop_token stop)>;

  LongJobs() = default;
  LongJobs(const LongJobs&) = delete;
  LongJobs& operator=(const LongJobs&) = delete;
  ~LongJobs();

  /// `overloaded` when too many wait; `conflict` when a job of this id runs or waits.
  [[nodiscard]] Status begin(const std::string& id, Job job);
  /// False when no such job runs or waits. Does not wait for its end.
  bool cancel(const std::string& id);

 private:
  struct Running {
    std::string id;
    std::jthread thread;
    bool ended = false;  ///< it counts no more
    bool told = false;   ///< its thread does nothing more
  };
  struct Waiting {
    std::string id;
    Job job;
    bool cancelled = false;
  };
  void run(std::uint64_t number, const Job& job, const std::stop_token& stop);
  [[nodiscard]] Running* find(const std::string& id);
  [[nodiscard]] Waiting* findWaiting(const std::string& id);
  /// With the lock: gives threads to those that wait, as many as may run.
  void startWaiting();

  std::mutex mutex_;
  bool closing_ = false;
  std::deque<Waiting> waiting_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Running> running_;
};

}  // namespace svc::worktrees
