#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

#include "svc/kernel/service_id.h"
#include "svc/kernel/unique_function.h"

namespace svc {

/// What executors and worker pools run, once. Moved, never copied: it may own the completion it answers with.
using Task = UniqueFunction<void()>;

/// Cancels its registration or timer when destroyed. Move-only; empty by default.
class Handle {
 public:
  Handle() = default;
  explicit Handle(Task undo) : undo_(std::move(undo)) {}
  Handle(Handle&& other) noexcept : undo_(std::exchange(other.undo_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      undo_ = std::exchange(other.undo_, nullptr);
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  void reset() {
    if (auto undo = std::exchange(undo_, nullptr)) {
      undo();
    }
  }
  /// Keeps the registration for the life of the process.
  void release() { undo_ = nullptr; }
  explicit operator bool() const { return static_cast<bool>(undo_); }

 private:
  Task undo_;
};

/// Runs tasks one at a time, in the order posted, on one thread. Thread-safe. Tasks must not throw.
class IExecutor {
 public:
  virtual ~IExecutor() = default;
  /// Never runs the task inline.
  virtual void post(Task task) = 0;
  /// Runs the task on this executor after `delay`. Destroying the handle cancels it: when destroyed on the
  /// executor's own thread the task is guaranteed not to run any more.
  [[nodiscard]] virtual Handle after(std::chrono::milliseconds delay, Task task) = 0;
  /// True when the caller is on this executor's thread.
  [[nodiscard]] virtual bool isCurrent() const = 0;
};

/// The main thread: lifecycle of modules and of what they manage. Provided by the kernel.
class IMainExecutor : public IExecutor {
 public:
  static constexpr ServiceId kId{"svc.kernel.MainExecutor", 1};
};

/// The short lane: two threads for blocking jobs that somebody waits for and that take milliseconds (hashing, a few
/// files, a token check). What may take longer goes to IBulkWorkers. Provided by the kernel. Thread-safe.
class IWorkerPool {
 public:
  static constexpr ServiceId kId{"svc.kernel.WorkerPool", 1};
  virtual ~IWorkerPool() = default;
  /// False when the queue is full (1024 jobs): the caller answers "overloaded".
  [[nodiscard]] virtual bool submit(Task job) = 0;
};

/// The bulk lane: six threads for blocking jobs that may take minutes (downloads, builds, archives, copies of data), so
/// that no short job waits behind them. Provided by the kernel. Thread-safe.
class IBulkWorkers {
 public:
  static constexpr ServiceId kId{"svc.kernel.BulkWorkers", 1};
  /// `stop` is requested when the server goes down. From then on the job has about a second to come to an end that
  /// loses nothing; one that has not begun yet is called as well, so that it can tell who waits for it.
  using Job = UniqueFunction<void(const std::stop_token& stop)>;
  virtual ~IBulkWorkers() = default;
  /// False when the queue is full (1024 jobs) or has ended: the caller answers "overloaded".
  [[nodiscard]] virtual bool submit(Job job) = 0;
};

/// Wall and steady time, injected so that tests own both. Thread-safe.
class IClock {
 public:
  static constexpr ServiceId kId{"svc.kernel.Clock", 1};
  virtual ~IClock() = default;
  /// Milliseconds since the epoch.
  [[nodiscard]] virtual std::int64_t nowMs() const = 0;
  [[nodiscard]] virtual std::chrono::steady_clock::time_point steadyNow() const = 0;
};

}  // namespace svc
