#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include "svc/common/limits.h"
#include "svc/kernel/result.h"

namespace svc::worktrees {

/// Clones and scripts, each on a thread of its own, since they may take longer than anything else that waits for a worker.
/// Thread-safe; its end stops all of them and waits for them.
class LongJobs {
 public:
  using Job = std::function<void(std::stop_token stop)>;

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
    std::jthread thread;
    bool ended = false;
  };
  void forgetEnded();

  std::mutex mutex_;
  std::map<std::string, Running> running_;
};

}  // namespace svc::worktrees
