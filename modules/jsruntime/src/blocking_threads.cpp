#include "blocking_threads.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>

#include "thread_accounts.h"

namespace svc::jsruntime {

namespace {

/// A thread without work waits this long for more.
constexpr std::chrono::seconds kIdleThread{5};

constexpr int kLowestPriority = 19;

/// No script can name it: process.on() of a script would replace the handler.
int interruptingSignal() { return SIGRTMIN + 7; }

}  // namespace

void BlockingThreads::prepareProcess() {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigaction(interruptingSignal(), &action, nullptr);  // without SA_RESTART
}

BlockingThreads::Taken BlockingThreads::take(BlockingJob& job) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= kMostWaiting) {
    return Taken::kFull;
  }
  if (waiting_.size() >= idle_ && threads_ < kMostThreads) {
    try {
      std::thread([self = shared_from_this()] { self->run(); }).detach();
      ++threads_;
    } catch (const std::system_error&) {
      if (threads_ == 0) {
        return Taken::kNoThread;
      }
    }
  }
  job.place_ = waiting_.insert(waiting_.end(), &job);
  job.waits_ = true;
  wake_.notify_one();
  return Taken::kYes;
}

bool BlockingThreads::withdraw(BlockingJob& job) {
  const std::lock_guard lock(mutex_);
  if (!job.waits_) {
    return false;
  }
  waiting_.erase(job.place_);
  job.waits_ = false;
  return true;
}

void BlockingThreads::end() {
  const std::lock_guard lock(mutex_);
  ending_ = true;
  for (const auto& working : working_) {
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(working.id), kLowestPriority);
  }
  wake_.notify_all();
}

bool BlockingThreads::ending() const {
  const std::lock_guard lock(mutex_);
  return ending_;
}

bool BlockingThreads::interrupt() {
  const std::lock_guard lock(mutex_);
  for (const auto& working : working_) {
    ::pthread_kill(working.thread, interruptingSignal());
  }
  return !working_.empty();
}

BlockingThreads::Use BlockingThreads::use() const {
  const std::lock_guard lock(mutex_);
  auto sum = worked_ns_;
  for (const auto& working : working_) {
    sum += clockNanoseconds(working.clock) - working.begun_ns;
  }
  return {.jobs = working_.size() + waiting_.size(), .cpu_ms = sum / kNanosecondsPerMillisecond};
}

void BlockingThreads::run() {
  Working self{::pthread_self(), ::gettid(), CLOCK_THREAD_CPUTIME_ID, 0};
  ::pthread_getcpuclockid(self.thread, &self.clock);
  ::pthread_setname_np(self.thread, "script-blocking");
  sigset_t interrupting;
  sigemptyset(&interrupting);
  sigaddset(&interrupting, interruptingSignal());
  ::pthread_sigmask(SIG_UNBLOCK, &interrupting, nullptr);
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    const bool more =
        wake_.wait_for(lock, kIdleThread, [this] { return !waiting_.empty() || ending_; });
    --idle_;
    if (!more || waiting_.empty()) {
      break;
    }
    auto* job = waiting_.front();
    waiting_.pop_front();
    job->waits_ = false;
    if (ending_) {
      lock.unlock();
      job->skip();
      job->worked();
      lock.lock();
      continue;
    }
    self.begun_ns = clockNanoseconds(self.clock);
    working_.push_back(self);
    lock.unlock();
    job->work();
    lock.lock();
    std::erase_if(working_, [&](const Working& each) { return each.id == self.id; });
    worked_ns_ += clockNanoseconds(self.clock) - self.begun_ns;
    lock.unlock();
    job->worked();
    lock.lock();
  }
  --threads_;
}

}  // namespace svc::jsruntime
