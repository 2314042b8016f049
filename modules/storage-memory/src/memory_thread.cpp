#include "memory_thread.h"

#include <pthread.h>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/kernel/thread_role.h"

namespace svc::storage_memory {

MemoryThread::MemoryThread(std::size_t limit) : limit_(limit), thread_([this] { run(); }) {}

MemoryThread::~MemoryThread() { stop(); }

void MemoryThread::flush(Completion<void> done) {
  auto nothing = []() -> Status { return {}; };
  submitJob(std::make_unique<TypedJob<void, decltype(nothing)>>(nothing, std::move(done)),
            /*exempt=*/true);
}

void MemoryThread::stop() {
  if (!thread_.joinable()) {
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Status MemoryThread::admit() const {
  if (stopping_) {
    return Error{errc::kUnavailable, "the store is closed because the service stops"};
  }
  if (queue_.size() >= limit_) {
    return Error{errc::kOverloaded,
                 fmt::format("{} requests wait for the store (limit {}); try again later",
                             queue_.size(), limit_)};
  }
  return {};
}

void MemoryThread::submitJob(std::unique_ptr<Job> job, bool exempt) {
  Status admitted;
  {
    const std::lock_guard lock(mutex_);
    admitted = exempt && !stopping_ ? Status{} : admit();
    if (admitted) {
      queue_.push_back(std::move(job));
      wake_.notify_one();
      return;
    }
  }
  job->refuse(admitted.error());
}

void MemoryThread::run() {
  setThreadRole(ThreadRole::kStore);
  pthread_setname_np(pthread_self(), "svc-store-mem");
  for (;;) {
    std::vector<std::unique_ptr<Job>> batch;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      batch.swap(queue_);
    }
    if (batch.empty()) {
      return;
    }
    for (const auto& job : batch) {
      job->run();
    }
  }
}

}  // namespace svc::storage_memory
