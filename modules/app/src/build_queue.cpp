#include "build_queue.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::app {
namespace {

Error stoppedError() { return {errc::kAborted, "the server is shutting down"}; }

}  // namespace

BuildQueue::BuildQueue(Factory factory, std::size_t threads) : factory_(std::move(factory)) {
  for (std::size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
  }
}

BuildQueue::~BuildQueue() { stop(); }

void BuildQueue::submit(common::BuildRequest request, Completion<common::BuildReport> done) {
  std::unique_lock lock(mutex_);
  if (stopped_) {
    lock.unlock();
    done(stoppedError());
    return;
  }
  if (jobs_.size() >= kWaiting) {
    lock.unlock();
    done(Error{errc::kOverloaded, fmt::format("{} builds are waiting; try again", kWaiting)});
    return;
  }
  jobs_.push_back({std::move(request), std::move(done)});
  lock.unlock();
  changed_.notify_one();
}

void BuildQueue::stop() {
  std::deque<Job> left;
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
    left.swap(jobs_);
  }
  for (auto& thread : threads_) {
    thread.request_stop();
  }
  for (auto& job : left) {
    job.done(stoppedError());
  }
  threads_.clear();
}

void BuildQueue::work(const std::stop_token& stop) {
  Build build;
  std::unique_lock lock(mutex_);
  while (true) {
    if (jobs_.empty() && build) {
      // Ending the process takes a moment; a job that comes meanwhile is taken by the next round.
      lock.unlock();
      build = nullptr;
      lock.lock();
    }
    if (!changed_.wait(lock, stop, [this] { return !jobs_.empty(); })) {
      return;
    }
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job.done(guarded([&]() -> Result<common::BuildReport> {
      if (!build) {
        build = factory_();
      }
      return build(job.request, stop);
    }));
    lock.lock();
  }
}

}  // namespace svc::app
