#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <list>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/kernel/worker_lanes.h"

namespace svc::kernel {

/// A bounded queue of blocking jobs and the threads that run them, each started when there is work for it. Thread-safe.
class WorkerLane {
 public:
  using Job = IBulkWorkers::Job;

  struct Options {
    const char* name;  ///< also of the threads; at most 15 characters
    std::size_t threads;
    std::size_t waiting;  ///< jobs that may wait
  };

  WorkerLane(Options options, const IClock& clock) : options_(options), clock_(clock) {}
  WorkerLane(const WorkerLane&) = delete;
  WorkerLane& operator=(const WorkerLane&) = delete;
  ~WorkerLane() { stop(); }

  [[nodiscard]] bool submit(Job job);
  /// Jobs see it in their token; what is submitted later is still called.
  void requestStop() { stop_.request_stop(); }
  /// Requests the stop, runs what waits, and ends the threads. Waits for the jobs that run.
  void stop();
  [[nodiscard]] WorkerLaneFigures figures() const;

 private:
  using Time = std::chrono::steady_clock::time_point;

  void run();
  void work(std::unique_lock<std::mutex>& lock);

  const Options options_;
  const IClock& clock_;
  std::stop_source stop_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Job> jobs_;
  std::vector<std::thread> threads_;
  std::list<Time> running_;  ///< when each job began
  std::size_t idle_ = 0;
  std::uint64_t done_ = 0;
  std::uint64_t refused_ = 0;
  std::chrono::milliseconds longest_{0};
  bool ended_ = false;
};

/// The lanes of a program. Thread-safe.
class WorkerLanes final : public IWorkerPool, public IBulkWorkers, public IWorkerLanes {
 public:
  explicit WorkerLanes(const IClock& clock);

  [[nodiscard]] bool submit(Task job) override;
  [[nodiscard]] bool submit(IBulkWorkers::Job job) override { return bulk_.submit(std::move(job)); }
  [[nodiscard]] std::vector<WorkerLaneFigures> lanes() const override;
  /// Bulk jobs are told to come to an end.
  void requestStop() { bulk_.requestStop(); }
  /// Runs what is queued, then ends the threads. Waits for the jobs that run.
  void stop();

 private:
  WorkerLane short_;
  WorkerLane bulk_;
};

}  // namespace svc::kernel
