#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "svc/common/codes.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

namespace svc::plugins {

/// The same answer, delivered by a task on `executor`.
template <class T>
Completion<T> deliverOn(IExecutor& executor, Completion<T> done) {
  auto target = std::make_shared<Completion<T>>(std::move(done));
  return Completion<T>([&executor, target](Result<T> result) {
    auto answer = std::make_shared<Result<T>>(std::move(result));
    executor.post([target, answer] { (*target)(std::move(*answer)); });
  });
}

/// The answer, or `timeout` when it has not come after `limit`. Lives on `executor`; so does the
/// answer.
template <class T>
Completion<T> limited(IExecutor& executor, std::chrono::milliseconds limit, Error timeout,
                      Completion<T> done) {
  struct Wait {
    Completion<T> done;
    Handle timer;
  };
  auto wait = std::make_shared<Wait>();
  wait->done = std::move(done);
  wait->timer = executor.after(limit, [wait, timeout = std::move(timeout)] {
    // The timer's own closure may be destroyed by what the handler does.
    const auto keep = wait;  // NOLINT(performance-unnecessary-copy-initialization)
    keep->done(timeout);
  });
  return Completion<T>([wait](Result<T> result) {
    wait->timer.reset();
    wait->done(std::move(result));
  });
}

/// Runs a blocking job on a worker; the answer comes on `executor`. `overloaded` when the pool has
/// no room.
template <class T>
void runOnWorker(IWorkerPool& workers, IExecutor& executor, std::function<Result<T>()> job,
                 Completion<T> done) {
  auto answer = std::make_shared<Completion<T>>(deliverOn(executor, std::move(done)));
  const bool taken = workers.submit([job = std::move(job), answer] { (*answer)(guarded(job)); });
  if (!taken) {
    (*answer)(Error{errc::kOverloaded, "too many background jobs are waiting; try again"});
  }
}

/// Runs asynchronous jobs in order, at most `parallel` at a time. Lives on one thread.
class JobQueue {
 public:
  /// A job ends by calling (or dropping) its completion.
  using Job = std::function<void(Completion<void> finished)>;

  static constexpr std::size_t kLimit = 64;

  explicit JobQueue(IExecutor& executor, std::size_t parallel = 1, std::size_t limit = kLimit)
      : state_(std::make_shared<State>(State{executor, parallel, limit, {}, 0})) {}

  /// False when `limit` jobs are waiting already.
  [[nodiscard]] bool add(Job job) {
    if (state_->waiting.size() >= state_->limit) {
      return false;
    }
    state_->waiting.push_back(std::move(job));
    state_->executor.post([state = state_] { runNext(state); });
    return true;
  }
  [[nodiscard]] bool idle() const { return state_->running == 0 && state_->waiting.empty(); }
  /// Drops what has not started.
  void clear() { std::exchange(state_->waiting, {}); }

 private:
  struct State {
    IExecutor& executor;
    std::size_t parallel;
    std::size_t limit;
    std::deque<Job> waiting;
    std::size_t running;
  };

  static void runNext(const std::shared_ptr<State>& state) {
    if (state->waiting.empty() || state->running >= state->parallel) {
      return;
    }
    auto job = std::move(state->waiting.front());
    state->waiting.pop_front();
    ++state->running;
    job(Completion<void>([state](const Status&) {
      --state->running;
      state->executor.post([state] { runNext(state); });
    }));
  }

  std::shared_ptr<State> state_;
};

/// Wraps a completion so that a copyable std::function can hold it.
template <class T>
std::shared_ptr<Completion<T>> shared(Completion<T> done) {
  return std::make_shared<Completion<T>>(std::move(done));
}

/// Fires once every job it handed out a share of has ended.
class Countdown {
 public:
  explicit Countdown(Completion<void> done) : done_(shared(std::move(done))) {}
  [[nodiscard]] Completion<void> share() {
    return [token = token_](const Status&) mutable { token.reset(); };
  }
  /// To be called after the last share(): an empty countdown fires at once.
  void arm() {
    *token_ = Handle([done = done_] { (*done)({}); });
    token_.reset();
  }

 private:
  std::shared_ptr<Completion<void>> done_;
  std::shared_ptr<Handle> token_ = std::make_shared<Handle>();
};

}  // namespace svc::plugins
