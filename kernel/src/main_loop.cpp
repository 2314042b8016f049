#include "main_loop.h"

#include <optional>

namespace svc::kernel {

using Time = std::chrono::steady_clock::time_point;
/// When, and which of those at the same time.
using Due = std::pair<Time, std::uint64_t>;

struct MainLoop::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Task> tasks;
  std::map<Due, Task> timers;
  std::uint64_t next_timer = 1;

  /// Takes the next runnable task, or waits for one until `deadline`. Empty when the deadline passed.
  Task next(std::optional<Time> deadline) {
    std::unique_lock lock(mutex);
    for (;;) {
      const auto now = std::chrono::steady_clock::now();
      if (!timers.empty() && timers.begin()->first.first <= now) {
        auto task = std::move(timers.begin()->second);
        timers.erase(timers.begin());
        return task;
      }
      if (!tasks.empty()) {
        auto task = std::move(tasks.front());
        tasks.pop_front();
        return task;
      }
      if (deadline && *deadline <= now) {
        return {};
      }
      std::optional<Time> until = deadline;
      if (!timers.empty() && (!until || timers.begin()->first.first < *until)) {
        until = timers.begin()->first.first;
      }
      if (until) {
        wake.wait_until(lock, *until);
      } else {
        wake.wait(lock);
      }
    }
  }

  void cancel(const Due& due) {
    Task doomed;  // what it owns goes without the lock
    const std::lock_guard lock(mutex);
    if (const auto found = timers.find(due); found != timers.end()) {
      doomed = std::move(found->second);
      timers.erase(found);
    }
  }
};

MainLoop::MainLoop() : state_(std::make_shared<State>()), thread_(std::this_thread::get_id()) {}

MainLoop::~MainLoop() = default;

void MainLoop::post(Task task) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->tasks.push_back(std::move(task));
  }
  state_->wake.notify_one();
}

Handle MainLoop::after(std::chrono::milliseconds delay, Task task) {
  Due due;
  bool first = false;
  {
    const std::lock_guard lock(state_->mutex);
    due = {std::chrono::steady_clock::now() + delay, state_->next_timer++};
    first = state_->timers.emplace(due, std::move(task)).first == state_->timers.begin();
  }
  if (first) {
    state_->wake.notify_one();
  }
  return Handle([weak = std::weak_ptr(state_), due] {
    if (const auto state = weak.lock()) {
      state->cancel(due);
    }
  });
}

bool MainLoop::isCurrent() const { return std::this_thread::get_id() == thread_; }

bool MainLoop::runUntil(const std::function<bool()>& finished, std::optional<Time> deadline) {
  while (!finished()) {
    Task task = state_->next(deadline);
    if (!task) {
      return false;
    }
    task();
  }
  return true;
}

std::int64_t SystemClock::nowMs() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Time SystemClock::steadyNow() const { return std::chrono::steady_clock::now(); }

}  // namespace svc::kernel
