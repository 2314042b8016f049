#include "thread_accounts.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "svc/base/random.h"

namespace svc::jsruntime {

namespace {

pid_t thisThread() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

}  // namespace

std::uint64_t clockNanoseconds(clockid_t clock) {
  timespec time{};
  return clock_gettime(clock, &time) == 0
             ? static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
                   static_cast<std::uint64_t>(time.tv_nsec)
             : 0;
}

bool ThreadAccounts::enter() {
  clockid_t clock{};
  if (pthread_getcpuclockid(pthread_self(), &clock) != 0) {
    return false;
  }
  const auto id = thisThread();
  const std::lock_guard lock(mutex_);
  if (std::any_of(threads_.begin(), threads_.end(),
                  [id](const Thread& known) { return known.id == id; })) {
    return false;
  }
  threads_.push_back({id, clock});
  return true;
}

void ThreadAccounts::leave() {
  const auto id = thisThread();
  // They would become children of another thread of the server.
  auto left = processesStartedBy(id);
  const std::lock_guard lock(mutex_);
  std::move(left.begin(), left.end(), std::back_inserter(orphans_));
  const auto found = std::find_if(threads_.begin(), threads_.end(),
                                  [id](const Thread& known) { return known.id == id; });
  if (found != threads_.end()) {
    ended_ns_ += clockNanoseconds(found->clock);
    threads_.erase(found);
  }
}

std::size_t ThreadAccounts::count() const {
  const std::lock_guard lock(mutex_);
  return threads_.size();
}

std::uint64_t ThreadAccounts::cpuMilliseconds() const {
  const std::lock_guard lock(mutex_);
  auto sum = ended_ns_;
  for (const auto& thread : threads_) {
    sum += clockNanoseconds(thread.clock);
  }
  return sum / kNanosecondsPerMillisecond;
}

void ThreadAccounts::setMark(std::string mark) {
  const std::lock_guard lock(mutex_);
  mark_ = std::move(mark);
}

std::string ThreadAccounts::markForProgram() {
  constexpr std::size_t kBytes = 16;
  const std::lock_guard lock(mutex_);
  if (mark_.empty()) {
    mark_ = base::randomHex(kBytes);
  }
  mark_used_ = true;
  return mark_;
}

std::string ThreadAccounts::usedMark() const {
  const std::lock_guard lock(mutex_);
  return mark_used_ ? mark_ : std::string();
}

std::vector<ProcessHandle> ThreadAccounts::takeProcesses() {
  std::vector<pid_t> ids;
  std::vector<ProcessHandle> all;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& thread : threads_) {
      ids.push_back(thread.id);
    }
    all = std::exchange(orphans_, {});
  }
  for (const auto id : ids) {
    auto started = processesStartedBy(id);
    std::move(started.begin(), started.end(), std::back_inserter(all));
  }
  return all;
}

}  // namespace svc::jsruntime
