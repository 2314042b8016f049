#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "svc/common/limits.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"

namespace svc::worktrees {

/// Clones and scripts, each on a thread of its own, since they may take longer than anything else that waits for a worker.
/// Thread-safe; its end stops all of them and waits for them.
class LongJobs {
 public:
  /// Returns what tells of its end, which is called when it counts no more: whoever hears of it may begin the next.
  using Job = std::function<Task(std::stop_token stop)>;

  LongJobs() = default;
  LongJobs(const LongJobs&) = delete;
  LongJobs& operator=(const LongJobs&) = delete;
  ~LongJobs();

  /// `overloaded` beyond limits::kLongJobs; `conflict` when a job of this id runs.
  [[nodiscard]] Status begin(const std::string& id, Job job);
  /// False when no such job runs. Does not wait for its end.
  bool cancel(const std::string& id);

 private:
  struct Running {
    std::string id;
    std::jthread thread;
    bool ended = false;  ///< it counts no more
    bool told = false;   ///< its thread does nothing more
  };
  void run(std::uint64_t number, const Job& job, const std::stop_token& stop);
  [[nodiscard]] Running* find(const std::string& id);

  std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Running> running_;
};

}  // namespace svc::worktrees
