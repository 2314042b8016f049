#include "supervisor.h"

#include <pthread.h>

#include <algorithm>
#include <csignal>
#include <iterator>
#include <utility>

#include "svc/base/marked_processes.h"

namespace svc::jsruntime {

namespace {
/// How often ending processes are looked at.
constexpr std::chrono::milliseconds kFollowEvery{50};
}  // namespace

Supervisor::Supervisor(std::chrono::milliseconds kill_after)
    : kill_after_(kill_after), thread_([this] { run(); }) {}

Supervisor::~Supervisor() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
  // Nobody will follow these any more, and a child must not outlive the server.
  for (auto* endings : {&endings_, &new_endings_}) {
    for (auto& ending : *endings) {
      findMarked(ending, SIGKILL);
      for (const auto& process : ending.processes) {
        process.signal(SIGKILL);
      }
    }
  }
}

void Supervisor::watch(std::weak_ptr<IWatched> subject) {
  {
    const std::lock_guard lock(mutex_);
    new_subjects_.push_back(std::move(subject));
  }
  changed_.notify_one();
}

void Supervisor::wake() {
  {
    const std::lock_guard lock(mutex_);
    poked_ = true;
  }
  changed_.notify_one();
}

void Supervisor::endProcesses(std::vector<ProcessHandle> processes, std::string mark,
                              std::shared_ptr<const std::atomic<bool>> abandoned) {
  if (processes.empty() && mark.empty()) {
    return;
  }
  for (const auto& process : processes) {
    process.signal(SIGTERM);
  }
  {
    const std::lock_guard lock(mutex_);
    new_endings_.push_back({std::move(processes), std::move(mark), std::move(abandoned),
                            std::chrono::steady_clock::now() + kill_after_});
  }
  changed_.notify_one();
}

void Supervisor::run() {
  pthread_setname_np(pthread_self(), "script-watch");
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto now = std::chrono::steady_clock::now();
    for (auto& subject : std::exchange(new_subjects_, {})) {
      subjects_.push_back({std::move(subject), now});
    }
    std::move(new_endings_.begin(), new_endings_.end(), std::back_inserter(endings_));
    new_endings_.clear();
    if (std::exchange(poked_, false)) {
      std::for_each(subjects_.begin(), subjects_.end(),
                    [now](Subject& subject) { subject.due = now; });
    }
    lock.unlock();
    inspectSubjects(now);
    followEndings(now);
    const auto due = nextDue();
    lock.lock();
    const auto has_news = [this] {
      return stopping_ || poked_ || !new_subjects_.empty() || !new_endings_.empty();
    };
    if (due == SteadyTime::max()) {
      changed_.wait(lock, has_news);
    } else {
      changed_.wait_until(lock, due, has_news);
    }
  }
}

void Supervisor::inspectSubjects(SteadyTime now) {
  std::erase_if(subjects_, [now](Subject& entry) {
    if (entry.due > now) {
      return false;
    }
    const auto subject = entry.subject.lock();
    entry.due = subject ? subject->inspect(now) : SteadyTime::max();
    return entry.due == SteadyTime::max();
  });
}

void Supervisor::followEndings(SteadyTime now) {
  std::erase_if(endings_, [now](Ending& ending) {
    const bool ours = ending.abandoned->load();
    if (!ending.killed && now >= ending.kill_at) {
      ending.killed = true;
      findMarked(ending, SIGKILL);
      for (const auto& process : ending.processes) {
        process.signal(SIGKILL);
      }
    }
    // Ended ones are let go only when collected: the loop that started them may still want their status.
    std::erase_if(ending.processes,
                  [ours](const ProcessHandle& process) { return ours && process.reap(); });
    if (ending.processes.empty()) {
      // What has left the tree of those, and what they have started while they ended.
      findMarked(ending, ending.killed ? SIGKILL : SIGTERM);
    }
    return ending.processes.empty();
  });
}

void Supervisor::findMarked(Ending& ending, int signal) {
  for (auto& [pid, descriptor] : base::processesMarked(ending.mark)) {
    ProcessHandle process(pid, std::move(descriptor));
    const bool known =
        std::any_of(ending.processes.begin(), ending.processes.end(),
                    [pid = pid](const ProcessHandle& each) { return each.pid() == pid; });
    if (!known && !process.ended()) {
      process.signal(signal);
      ending.processes.push_back(std::move(process));
    }
  }
}

SteadyTime Supervisor::nextDue() const {
  auto due = SteadyTime::max();
  for (const auto& subject : subjects_) {
    due = std::min(due, subject.due);
  }
  if (!endings_.empty()) {
    due = std::min(due, std::chrono::steady_clock::now() + kFollowEvery);
  }
  return due;
}

}  // namespace svc::jsruntime
