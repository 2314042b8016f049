#include "worker_lanes.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "svc/kernel/thread_role.h"

namespace svc::kernel {
namespace {

constexpr std::size_t kWaiting = 1024;
constexpr WorkerLane::Options kShort{.name = "short", .threads = 2, .waiting = kWaiting};
constexpr WorkerLane::Options kBulk{.name = "bulk", .threads = 6, .waiting = kWaiting};

std::chrono::milliseconds between(std::chrono::steady_clock::time_point from,
                                  std::chrono::steady_clock::time_point to) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(to - from);
}

}  // namespace

bool WorkerLane::submit(Job job) {
  {
    const std::lock_guard lock(mutex_);
    if (ended_ || jobs_.size() >= options_.waiting) {
      ++refused_;
      return false;
    }
    jobs_.push_back(std::move(job));
    if (jobs_.size() > idle_ && threads_.size() < options_.threads) {
      threads_.emplace_back([this] { run(); });
      pthread_setname_np(threads_.back().native_handle(), options_.name);
    }
  }
  wake_.notify_one();
  return true;
}

void WorkerLane::stop() {
  requestStop();
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    threads.swap(threads_);
  }
  wake_.notify_all();
  for (auto& thread : threads) {
    thread.join();
  }
}

WorkerLaneFigures WorkerLane::figures() const {
  const std::lock_guard lock(mutex_);
  auto longest = longest_;
  // The one that began first runs for longest.
  if (!running_.empty()) {
    longest = std::max(longest, between(running_.front(), clock_.steadyNow()));
  }
  return {.name = options_.name,
          .running = running_.size(),
          .waiting = jobs_.size(),
          .done = done_,
          .refused = refused_,
          .longest_ms = static_cast<std::uint64_t>(longest.count())};
}

void WorkerLane::run() {
  setThreadRole(ThreadRole::kWorker);
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [this] { return ended_ || !jobs_.empty(); });
    --idle_;
    if (jobs_.empty()) {
      return;
    }
    work(lock);
  }
}

void WorkerLane::work(std::unique_lock<std::mutex>& lock) {
  const auto began = running_.insert(running_.end(), clock_.steadyNow());
  auto job = std::move(jobs_.front());
  jobs_.pop_front();
  lock.unlock();
  job(stop_.get_token());
  // What the job holds may submit in its destructor.
  job = nullptr;
  lock.lock();
  longest_ = std::max(longest_, between(*began, clock_.steadyNow()));
  running_.erase(began);
  ++done_;
}

WorkerLanes::WorkerLanes(const IClock& clock) : short_(kShort, clock), bulk_(kBulk, clock) {}

bool WorkerLanes::submit(Task job) {
  return short_.submit([job = std::move(job)](const std::stop_token&) mutable { job(); });
}

std::vector<WorkerLaneFigures> WorkerLanes::lanes() const {
  return {short_.figures(), bulk_.figures()};
}

void WorkerLanes::stop() {
  // Bulk jobs may hand a last piece of work to the short lane.
  bulk_.stop();
  short_.stop();
}

}  // namespace svc::kernel
