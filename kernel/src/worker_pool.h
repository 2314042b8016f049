#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "svc/kernel/executor.h"

namespace svc::kernel {

/// Two threads and one bounded queue. Thread-safe.
class WorkerPool final : public IWorkerPool {
 public:
  WorkerPool();
  ~WorkerPool() override;
  [[nodiscard]] bool submit(Task job) override;
  /// Runs what is queued, then ends the threads. Waits for the jobs that run.
  void stop();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace svc::kernel
