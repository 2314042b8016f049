#include "long_jobs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

namespace svc::worktrees {

LongJobs::~LongJobs() {
  std::map<std::string, Running> last;
  {
    const std::scoped_lock lock(mutex_);
    last.swap(running_);
  }
  for (auto& [id, job] : last) {
    job.thread.request_stop();
  }
}

void LongJobs::forgetEnded() {
  std::erase_if(running_, [](const auto& each) { return each.second.ended; });
}

Status LongJobs::begin(const std::string& id, Job job) {
  const std::scoped_lock lock(mutex_);
  forgetEnded();
  if (running_.contains(id)) {
    return Error{errc::kConflict, fmt::format("\"{}\" runs already", id)};
  }
  if (running_.size() >= limits::kLongJobs) {
    return Error{errc::kOverloaded,
                 fmt::format("{} clones and scripts run on this machine (limit longJobs: {}); try "
                             "again when one has ended",
                             running_.size(), limits::kLongJobs)};
  }
  running_[id].thread = std::jthread([this, id, job = std::move(job)](const std::stop_token& stop) {
    job(stop);
    const std::scoped_lock done(mutex_);
    if (const auto found = running_.find(id); found != running_.end()) {
      found->second.ended = true;
    }
  });
  return {};
}

bool LongJobs::cancel(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const auto found = running_.find(id);
  if (found == running_.end() || found->second.ended) {
    return false;
  }
  found->second.thread.request_stop();
  return true;
}

}  // namespace svc::worktrees
