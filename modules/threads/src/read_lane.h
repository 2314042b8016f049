#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <stop_token>
#include <utility>

#include "svc/kernel/executor.h"

namespace svc::threads {

/// Runs reads that may take long one at a time on the workers, so that short jobs always find one of them free: after each read the lane
/// goes behind what waits there. Thread-safe. Whoever owns it outlives its jobs.
class ReadLane {
 public:
  static constexpr std::size_t kQueue = 1000;
  /// Once `stop` is requested the job only answers whoever waits for it.
  using Job = UniqueFunction<void(const std::stop_token& stop)>;

  explicit ReadLane(IWorkerPool& workers) : workers_(workers) {}

  /// False, and the job is gone, when too many wait.
  [[nodiscard]] bool post(Job job) {
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
    std::deque<Job> dropped;
    const std::scoped_lock lock(mutex_);
    running_ = false;
    dropped.swap(jobs_);
    return false;
  }

  /// The server goes down. Jobs that run see it, those that wait are called with it.
  void close() { stop_.request_stop(); }

 private:
  void run() {
    do {
      Job job;
      {
        const std::scoped_lock lock(mutex_);
        job = std::move(jobs_.front());
        jobs_.pop_front();
      }
      job(stop_.get_token());
      // What it holds may post in its destructor.
      job = nullptr;
    } while (goesOn());
  }

  /// Whether this worker has the next job to do: only when the workers take no more.
  bool goesOn() {
    {
      const std::scoped_lock lock(mutex_);
      if (jobs_.empty()) {
        running_ = false;
        return false;
      }
    }
    return !workers_.submit([this] { run(); });
  }

  IWorkerPool& workers_;
  std::stop_source stop_;
  std::mutex mutex_;
  std::deque<Job> jobs_;
  bool running_ = false;
};

}  // namespace svc::threads
