#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>

#include "svc/kernel/executor.h"

namespace svc::threads {

/// Runs jobs that may block one after the other on the workers. Thread-safe. What is queued runs, or is dropped when the workers take no
/// more; jobs that are dropped answer by the completions they own. Whoever owns it outlives its jobs.
class Lane {
 public:
  static constexpr std::size_t kQueue = 10'000;

  explicit Lane(IWorkerPool& workers) : workers_(workers) {}

  /// False, and the job is gone, when too much waits.
  bool post(Task job) {
    {
      const std::scoped_lock lock(mutex_);
      if (jobs_.size() >= kQueue) {
        return false;
      }
      jobs_.push_back(std::move(job));
      if (std::exchange(running_, true)) {
        return true;
      }
    }
    if (workers_.submit([this] { run(); })) {
      return true;
    }
    std::deque<Task> dropped;
    const std::scoped_lock lock(mutex_);
    running_ = false;
    dropped.swap(jobs_);
    return false;
  }

 private:
  void run() {
    for (;;) {
      Task job;
      {
        const std::scoped_lock lock(mutex_);
        if (jobs_.empty()) {
          running_ = false;
          return;
        }
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job();
    }
  }

  IWorkerPool& workers_;
  std::mutex mutex_;
  std::deque<Task> jobs_;
  bool running_ = false;
};

}  // namespace svc::threads
