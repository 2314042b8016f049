#include "main_loop.h"

#include <optional>

namespace svc::kernel {

using Time = std::chrono::steady_clock::time_point;

struct MainLoop::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Task> tasks;
  std::multimap<Time, std::pair<std::uint64_t, Task>> timers;
  std::uint64_t next_timer = 1;

  /// Takes the next runnable task, or waits for one until `deadline`. Empty when the deadline passed.
  Task next(std::optional<Time> deadline) {
    std::unique_lock lock(mutex);
    for (;;) {
      const auto now = std::chrono::steady_clock::now();
      if (!timers.empty() && timers.begin()->first <= now) {
        auto task = std::move(timers.begin()->second.second);
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
      if (!timers.empty() && (!until || timers.begin()->first < *until)) {
        until = timers.begin()->first;
      }
      if (until) {
        wake.wait_until(lock, *until);
      } else {
        wake.wait(lock);
      }
    }
  }

  void cancel(std::uint64_t timer) {
    const std::lock_guard lock(mutex);
    std::erase_if(timers, [timer](const auto& entry) { return entry.second.first == timer; });
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
  std::uint64_t timer = 0;
  {
    const std::lock_guard lock(state_->mutex);
    timer = state_->next_timer++;
    state_->timers.emplace(std::chrono::steady_clock::now() + delay,
                           std::make_pair(timer, std::move(task)));
  }
  state_->wake.notify_one();
  return Handle([weak = std::weak_ptr(state_), timer] {
    if (const auto state = weak.lock()) {
      state->cancel(timer);
    }
  });
}

bool MainLoop::isCurrent() const { return std::this_thread::get_id() == thread_; }

bool MainLoop::runUntil(const std::function<bool()>& finished, std::optional<Time> deadline) {
  while (!finished()) {
    const Task task = state_->next(deadline);
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
