#include "long_jobs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/limits/worktrees.h"

namespace svc::worktrees {

LongJobs::~LongJobs() {
  std::deque<Waiting> waiting;
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
    waiting.swap(waiting_);
    for (auto& [number, job] : running_) {
      job.thread.request_stop();
    }
  }
  // They look for themselves in the map until their end, so it stays until then.
  for (auto& [number, job] : running_) {
    job.thread.join();
  }
  std::stop_source stopped;
  stopped.request_stop();
  for (const auto& each : waiting) {
    auto tell = each.job(stopped.get_token());
    tell();
  }
}

LongJobs::Running* LongJobs::find(const std::string& id) {
  const auto found = std::find_if(running_.begin(), running_.end(), [&](const auto& each) {
    return each.second.id == id && !each.second.ended;
  });
  return found == running_.end() ? nullptr : &found->second;
}

LongJobs::Waiting* LongJobs::findWaiting(const std::string& id) {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(),
                                  [&](const auto& each) { return each.id == id; });
  return found == waiting_.end() ? nullptr : &*found;
}

void LongJobs::run(std::uint64_t number, const Job& job, const std::stop_token& stop) {
  auto tell = job(stop);
  {
    const std::scoped_lock lock(mutex_);
    running_.at(number).ended = true;
    startWaiting();
  }
  tell();
  const std::scoped_lock lock(mutex_);
  running_.at(number).told = true;
}

void LongJobs::startWaiting() {
  auto count = static_cast<std::size_t>(std::count_if(
      running_.begin(), running_.end(), [](const auto& each) { return !each.second.ended; }));
  for (; !closing_ && !waiting_.empty() && count < limits::kLongJobs; ++count) {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    const auto number = ++last_;
    auto& running = running_[number];
    running.id = std::move(next.id);
    running.thread = std::jthread([this, number, job = std::move(next.job)](
                                      const std::stop_token& stop) { run(number, job, stop); });
    if (next.cancelled) {
      running.thread.request_stop();
    }
  }
}

Status LongJobs::begin(const std::string& id, Job job) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(running_, [](const auto& each) { return each.second.told; });
  if (find(id) != nullptr || findWaiting(id) != nullptr) {
    return Error{errc::kConflict, fmt::format("\"{}\" runs already", id)};
  }
  if (waiting_.size() >= limits::kLongJobsWaiting) {
    return Error{errc::kOverloaded,
                 fmt::format("{} clones, places and scripts wait on this machine (limit "
                             "longJobsWaiting: {}); try again when some have ended",
                             waiting_.size(), limits::kLongJobsWaiting)};
  }
  waiting_.push_back({.id = id, .job = std::move(job)});
  startWaiting();
  return {};
}

bool LongJobs::cancel(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  auto* const running = find(id);
  if (running != nullptr) {
    running->thread.request_stop();
    return true;
  }
  auto* const waiting = findWaiting(id);
  if (waiting != nullptr) {
    waiting->cancelled = true;
  }
  return waiting != nullptr;
}

}  // namespace svc::worktrees
