#include "worker_pool.h"

#include <pthread.h>

#include "svc/kernel/thread_role.h"

namespace svc::kernel {
namespace {
constexpr std::size_t kThreads = 2;
constexpr std::size_t kQueueLimit = 1024;
}  // namespace

WorkerPool::WorkerPool() {
  for (std::size_t index = 0; index < kThreads; ++index) {
    threads_.emplace_back([this] { run(); });
    pthread_setname_np(threads_.back().native_handle(), "worker");
  }
}

WorkerPool::~WorkerPool() { stop(); }

bool WorkerPool::submit(Task job) {
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || jobs_.size() >= kQueueLimit) {
      return false;
    }
    jobs_.push_back(std::move(job));
  }
  wake_.notify_one();
  return true;
}

void WorkerPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto& thread : threads_) {
    if (thread.joinable()) {
      thread.join();
    }
  }
}

void WorkerPool::run() {
  setThreadRole(ThreadRole::kWorker);
  for (;;) {
    Task job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) {
        return;
      }
      job = std::move(jobs_.front());
      jobs_.pop_front();
    }
    job();
  }
}

}  // namespace svc::kernel
