#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "svc/kernel/executor.h"

namespace svc::installs {

/// Threads for work that may take minutes (downloads, builds), started when there is work. Thread-safe. Stopping
/// drops what has not begun and waits for what has, so the running jobs must have been told to stop.
class JobThreads final : public IWorkerPool {
 public:
  static constexpr std::size_t kThreads = 4;
  static constexpr std::size_t kQueue = 256;

  JobThreads() = default;
  JobThreads(const JobThreads&) = delete;
  JobThreads& operator=(const JobThreads&) = delete;
  ~JobThreads() override { stop(); }

  [[nodiscard]] bool submit(Task job) override;
  void stop();

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Task> jobs_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace svc::installs
