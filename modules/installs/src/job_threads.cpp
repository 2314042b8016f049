#include "job_threads.h"

#include <utility>

namespace svc::installs {

bool JobThreads::submit(Task job) {
  const std::lock_guard lock(mutex_);
  if (stopping_ || jobs_.size() >= kQueue) {
    return false;
  }
  jobs_.push_back(std::move(job));
  if (jobs_.size() > idle_ && threads_.size() < kThreads) {
    threads_.emplace_back([this] { work(); });
  }
  ready_.notify_one();
  return true;
}

void JobThreads::stop() {
  std::deque<Task> dropped;
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    dropped.swap(jobs_);
    threads.swap(threads_);
  }
  ready_.notify_all();
  for (auto& thread : threads) {
    thread.join();
  }
}

void JobThreads::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    ready_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
    --idle_;
    if (stopping_) {
      return;
    }
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;
    lock.lock();
  }
}

}  // namespace svc::installs
