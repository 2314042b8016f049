#include "build_queue.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::app {
namespace {

Error stoppedError() { return {errc::kAborted, "the server is shutting down"}; }

}  // namespace

BuildQueue::~BuildQueue() {
  stop();
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return builders_ == 0; });
}

void BuildQueue::submit(common::BuildRequest request, Completion<common::BuildReport> done) {
  bool wanted = false;
  {
    const std::scoped_lock lock(mutex_);
    if (!stop_.stop_requested() && jobs_.size() < kWaiting) {
      jobs_.push_back({std::move(request), std::move(done)});
      wanted = builders_ < most_builders_ && jobs_.size() > at_rest_;
      builders_ += wanted ? 1 : 0;
    }
  }
  if (done.pending()) {
    done(stop_.stop_requested()
             ? stoppedError()
             : Error{errc::kOverloaded, fmt::format("{} builds are waiting; try again", kWaiting)});
    return;
  }
  wanted_.notify_one();
  if (wanted && !startBuilder()) {
    std::deque<Job> left;
    {
      const std::scoped_lock lock(mutex_);
      // Another builder takes what waits; without one nobody would.
      if (--builders_ == 0) {
        left.swap(jobs_);
      }
    }
    for (auto& job : left) {
      job.done(Error{errc::kOverloaded, "too many background jobs are waiting; try again"});
    }
  }
}

bool BuildQueue::startBuilder() {
  return workers_.submit([this](const std::stop_token& server_stops) { work(server_stops); });
}

void BuildQueue::stop() {
  stop_.request_stop();
  std::deque<Job> left;
  {
    const std::scoped_lock lock(mutex_);
    left.swap(jobs_);
  }
  for (auto& job : left) {
    job.done(stoppedError());
  }
}

bool BuildQueue::awaitJob(std::unique_lock<std::mutex>& lock) {
  if (jobs_.empty() && at_rest_ == 0) {
    ++at_rest_;
    wanted_.wait_for(lock, stop_.get_token(), kept_, [this] { return !jobs_.empty(); });
    --at_rest_;
  }
  return !jobs_.empty();
}

void BuildQueue::work(const std::stop_token& server_stops) {
  // Of its own, because the queue may be gone as soon as the last builder has said that it ends.
  const std::stop_callback also(server_stops, [stop = stop_]() mutable { stop.request_stop(); });
  Build build;
  std::unique_lock lock(mutex_);
  while (true) {
    if (build && !awaitJob(lock)) {
      // Ending the process takes a moment; a job that comes meanwhile is taken by the next round.
      lock.unlock();
      build = nullptr;
      lock.lock();
    }
    if (jobs_.empty()) {
      --builders_;
      idle_.notify_all();
      return;
    }
    auto job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job.done(guarded([&]() -> Result<common::BuildReport> {
      if (stop_.stop_requested()) {
        return stoppedError();
      }
      if (!build) {
        build = factory_();
      }
      return build(job.request, stop_.get_token());
    }));
    lock.lock();
  }
}

}  // namespace svc::app
