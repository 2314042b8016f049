#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "svc/kernel/executor.h"

namespace svc::test {

/// An executor a test drives by hand, standing for any interface derived from IExecutor:
/// `FakeMainExecutor`, `FakeExecutorFor<http::IReactor>`. post() may come from any thread; tasks run on the thread
/// that calls runAll() or advance(), which is also the one isCurrent() is true on (see setCurrent()). Time moves only
/// in advance().
template <class Interface>
class FakeExecutorFor : public Interface {
  using Due = std::pair<std::chrono::milliseconds, std::uint64_t>;

 public:
  FakeExecutorFor() : owner_(std::this_thread::get_id()) {}
  FakeExecutorFor(const FakeExecutorFor&) = delete;
  FakeExecutorFor& operator=(const FakeExecutorFor&) = delete;
  // Tasks own timers and timers own the state: letting go of them, and of what that posts, breaks the circle.
  ~FakeExecutorFor() override {
    for (bool more = true; more;) {
      std::deque<Task> tasks;
      std::map<Due, Task> timers;
      {
        const std::scoped_lock lock(state_->mutex);
        tasks.swap(state_->tasks);
        timers.swap(state_->timers);
      }
      more = !tasks.empty() || !timers.empty();
    }
  }

  void post(Task task) override {
    const std::scoped_lock lock(state_->mutex);
    state_->tasks.push_back(std::move(task));
  }

  [[nodiscard]] Handle after(std::chrono::milliseconds delay, Task task) override {
    const std::scoped_lock lock(state_->mutex);
    const auto due = std::make_pair(state_->now + std::max(delay, std::chrono::milliseconds{0}),
                                    ++state_->last_timer);
    state_->timers.emplace(due, std::move(task));
    return Handle([state = state_, due] { state->cancel(due); });
  }

  [[nodiscard]] bool isCurrent() const override {
    return forced_.value_or(std::this_thread::get_id() == owner_);
  }

  /// Runs what is posted, what that posts in turn, and timers that are due. Returns how many tasks ran.
  std::size_t runAll() {
    std::size_t count = 0;
    while (runOne()) {
      ++count;
    }
    return count;
  }

  /// Runs the oldest task. False when there is none.
  bool runOne() {
    Task task;
    {
      const std::scoped_lock lock(state_->mutex);
      state_->moveDueTimers();
      if (state_->tasks.empty()) {
        return false;
      }
      task = std::move(state_->tasks.front());
      state_->tasks.pop_front();
    }
    task();
    return true;
  }

  /// Moves time on, stopping at each timer on the way, and runs everything that becomes due.
  void advance(std::chrono::milliseconds delta) {
    runAll();
    const auto target = now() + delta;
    while (auto next = nextDue(target)) {
      moveTo(*next);
      runAll();
    }
    moveTo(target);
    runAll();
  }

  /// Time passed since construction.
  [[nodiscard]] std::chrono::milliseconds now() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->now;
  }
  [[nodiscard]] std::size_t pendingTasks() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->tasks.size();
  }
  [[nodiscard]] std::size_t pendingTimers() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->timers.size();
  }
  /// Overrides the answer of isCurrent(); nullopt goes back to comparing threads.
  void setCurrent(std::optional<bool> current) { forced_ = current; }

 private:
  // Shared with handles, which may outlive the executor.
  struct State {
    mutable std::mutex mutex;
    std::chrono::milliseconds now{0};
    std::uint64_t last_timer = 0;
    std::deque<Task> tasks;
    std::map<Due, Task> timers;
    std::map<std::uint64_t, std::shared_ptr<Task>> due_tasks;

    void cancel(const Due& due) {
      Task doomed;
      std::shared_ptr<Task> doomed_due;
      const std::scoped_lock lock(mutex);
      if (const auto timer = timers.find(due); timer != timers.end()) {
        doomed = std::move(timer->second);
        timers.erase(timer);
      } else if (const auto queued = due_tasks.find(due.second); queued != due_tasks.end()) {
        doomed_due = std::make_shared<Task>(std::exchange(*queued->second, nullptr));
        due_tasks.erase(queued);
      }
    }

    void moveDueTimers() {
      while (!timers.empty() && timers.begin()->first.first <= now) {
        auto node = timers.extract(timers.begin());
        auto task = std::make_shared<Task>(std::move(node.mapped()));
        const auto timer = node.key().second;
        due_tasks.emplace(timer, task);
        // A cancelled timer leaves an empty task behind.
        tasks.emplace_back([this, task, timer] {
          Task run;
          {
            const std::scoped_lock lock(mutex);
            run = std::exchange(*task, nullptr);
            due_tasks.erase(timer);
          }
          if (run) {
            run();
          }
        });
      }
    }
  };

  std::optional<std::chrono::milliseconds> nextDue(std::chrono::milliseconds limit) const {
    const std::scoped_lock lock(state_->mutex);
    if (state_->timers.empty() || state_->timers.begin()->first.first > limit) {
      return std::nullopt;
    }
    return state_->timers.begin()->first.first;
  }

  void moveTo(std::chrono::milliseconds time) {
    const std::scoped_lock lock(state_->mutex);
    state_->now = std::max(state_->now, time);
  }

  std::thread::id owner_;
  std::optional<bool> forced_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

using FakeExecutor = FakeExecutorFor<IExecutor>;
using FakeMainExecutor = FakeExecutorFor<IMainExecutor>;

}  // namespace svc::test
