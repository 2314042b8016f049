#pragma once

#include <cstddef>
#include <stop_token>
#include <utility>

#include "svc/kernel/executor.h"

#include "lane.h"

namespace svc::threads {

/// Runs reads that may take long one at a time on the workers, so that short jobs always find one of them free. Thread-safe. Whoever
/// owns it outlives its jobs.
class ReadLane {
 public:
  static constexpr std::size_t kQueue = 1000;
  /// Once `stop` is requested the job only answers whoever waits for it.
  using Job = UniqueFunction<void(const std::stop_token& stop)>;

  explicit ReadLane(IWorkerPool& workers) : lane_(workers, Lane::Between::kYields, kQueue) {}

  /// False, and the job is gone, when too many wait.
  [[nodiscard]] bool post(Job job) {
    return lane_.post([this, job = std::move(job)]() mutable { job(stop_.get_token()); });
  }

  /// The server goes down. Jobs that run see it, those that wait are called with it.
  void close() { stop_.request_stop(); }

 private:
  std::stop_source stop_;
  Lane lane_;
};

}  // namespace svc::threads
