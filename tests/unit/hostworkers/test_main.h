#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "svc/kernel/executor.h"

namespace svc::hostworkers {

/// Longer than anything here takes.
inline constexpr std::chrono::seconds kTooLong{30};

/// Runs tasks on the thread of the test.
class TestMain final : public IExecutor {
 public:
  void post(Task task) override {
    {
      const std::scoped_lock lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_all();
  }
  Handle after(std::chrono::milliseconds /*delay*/, Task /*task*/) override { return Handle(); }
  bool isCurrent() const override { return true; }

  /// False when `done` did not become true.
  template <class Done>
  bool runUntil(Done done, std::chrono::milliseconds patience = kTooLong) {
    const auto until = std::chrono::steady_clock::now() + patience;
    while (!done()) {
      Task task;
      {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_until(lock, until, [this] { return !tasks_.empty(); })) {
          return false;
        }
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
};

}  // namespace svc::hostworkers
