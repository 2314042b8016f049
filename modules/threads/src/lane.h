#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <utility>

#include "svc/kernel/executor.h"

namespace svc::threads {

/// Runs jobs that may block one after the other on the workers. Thread-safe. What is queued runs, or is dropped when the workers take no
/// more; jobs that are dropped answer by the completions they own. Whoever owns it outlives its jobs.
class Lane {
 public:
  static constexpr std::size_t kQueue = 10'000;
  enum class Between : std::uint8_t {
    kStays,   ///< one worker has all that waits
    kYields,  ///< after each job the lane goes behind what else waits for a worker
  };

  explicit Lane(IWorkerPool& workers, Between between = Between::kStays, std::size_t queue = kQueue)
      : workers_(workers), between_(between), queue_(queue) {}

  /// False, and the job is gone, when too much waits.
  bool post(Task job) {
    {
      const std::scoped_lock lock(mutex_);
      if (jobs_.size() >= queue_) {
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
    do {
      Task job;
      {
        const std::scoped_lock lock(mutex_);
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job();
      // What it holds may post in its destructor.
      job = nullptr;
    } while (goesOn());
  }

  /// Whether this worker has the next job to do: of a lane that yields only when the workers take no more.
  bool goesOn() {
    {
      const std::scoped_lock lock(mutex_);
      if (jobs_.empty()) {
        running_ = false;
        return false;
      }
    }
    return between_ == Between::kStays || !workers_.submit([this] { run(); });
  }

  IWorkerPool& workers_;
  const Between between_;
  const std::size_t queue_;
  std::mutex mutex_;
  std::deque<Task> jobs_;
  bool running_ = false;
};

}  // namespace svc::threads
