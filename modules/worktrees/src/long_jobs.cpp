#include "long_jobs.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace svc::worktrees {

LongJobs::~LongJobs() {
  {
    const std::scoped_lock lock(mutex_);
    for (auto& [number, job] : running_) {
      job.thread.request_stop();
    }
  }
  // They look for themselves in the map until their end, so it stays until then.
  for (auto& [number, job] : running_) {
    job.thread.join();
  }
}

LongJobs::Running* LongJobs::find(const std::string& id) {
  const auto found = std::find_if(running_.begin(), running_.end(), [&](const auto& each) {
    return each.second.id == id && !each.second.ended;
  });
  return found == running_.end() ? nullptr : &found->second;
}

void LongJobs::run(std::uint64_t number, const Job& job, const std::stop_token& stop) {
  auto tell = job(stop);
  {
    const std::scoped_lock lock(mutex_);
    running_.at(number).ended = true;
  }
  tell();
  const std::scoped_lock lock(mutex_);
  running_.at(number).told = true;
}

Status LongJobs::begin(const std::string& id, Job job) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(running_, [](const auto& each) { return each.second.told; });
  if (find(id) != nullptr) {
    return Error{errc::kConflict, fmt::format("\"{}\" runs already", id)};
  }
  const auto count = std::count_if(running_.begin(), running_.end(),
                                   [](const auto& each) { return !each.second.ended; });
  if (static_cast<std::size_t>(count) >= limits::kLongJobs) {
    return Error{errc::kOverloaded,
                 fmt::format("{} clones and scripts run on this machine (limit longJobs: {}); try "
                             "again when one has ended",
                             count, limits::kLongJobs)};
  }
  const auto number = ++last_;
  auto& running = running_[number];
  running.id = id;
  running.thread = std::jthread([this, number, job = std::move(job)](const std::stop_token& stop) {
    run(number, job, stop);
  });
  return {};
}

bool LongJobs::cancel(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  auto* const running = find(id);
  if (running != nullptr) {
    running->thread.request_stop();
  }
  return running != nullptr;
}

}  // namespace svc::worktrees
