#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "svc/kernel/coroutine.h"

namespace svc::plugins {

/// The turn of a course in a queue. It ends with the object; others wait until then.
class Turn {
 public:
  Turn() = default;
  explicit Turn(Completion<void> finished) : finished_(std::move(finished)) {}
  void end() { finished_({}); }

 private:
  Completion<void> finished_;
};

/// Runs asynchronous jobs in order, at most `parallel` at a time. Lives on one thread.
class JobQueue {
 public:
  /// A job ends by calling (or dropping) its completion.
  using Job = UniqueFunction<void(Completion<void> finished)>;

  static constexpr std::size_t kLimit = 64;

  explicit JobQueue(IExecutor& executor, std::size_t parallel = 1, std::size_t limit = kLimit)
      : state_(std::make_shared<State>(executor, parallel, limit)) {}

  /// False when `limit` jobs are waiting already.
  [[nodiscard]] bool add(Job job, std::string name = {}) {
    if (full()) {
      return false;
    }
    state_->waiting.push_back({std::move(name), std::move(job)});
    state_->executor.post([state = state_] { runNext(state); });
    return true;
  }
  /// Awaits a turn. `full` when `limit` jobs are waiting already, `aborted` when the queue is cleared.
  [[nodiscard]] auto turn(Error full = tooMany(), std::string name = {}) {
    return ask(*this, &JobQueue::takeTurn, std::move(full), std::move(name));
  }
  /// What waits under this name is next. Nothing when it has begun, or was never added.
  void prefer(std::string_view name) {
    auto& waiting = state_->waiting;
    const auto found = std::find_if(waiting.begin(), waiting.end(),
                                    [name](const Entry& entry) { return entry.name == name; });
    if (found != waiting.end()) {
      std::rotate(waiting.begin(), found, found + 1);
    }
  }
  [[nodiscard]] bool idle() const { return state_->running == 0 && state_->waiting.empty(); }
  /// Drops what has not started.
  void clear() { std::exchange(state_->waiting, {}); }

 private:
  struct Entry {
    std::string name;
    Job job;
  };
  struct State {
    State(IExecutor& runs_on, std::size_t at_once, std::size_t most)
        : executor(runs_on), parallel(at_once), limit(most) {}
    IExecutor& executor;
    std::size_t parallel;
    std::size_t limit;
    std::deque<Entry> waiting;
    std::size_t running = 0;
  };

  static Error tooMany() {
    return {errc::kOverloaded,
            "too many plugin operations are waiting already (64); try again later"};
  }
  [[nodiscard]] bool full() const { return state_->waiting.size() >= state_->limit; }
  void takeTurn(Error refused, std::string name, Completion<Turn> done) {
    if (full()) {
      done(std::move(refused));
      return;
    }
    static_cast<void>(add(
        [done = std::move(done)](Completion<void> finished) mutable {
          done(Turn(std::move(finished)));
        },
        std::move(name)));
  }
  static void runNext(const std::shared_ptr<State>& state) {
    if (state->waiting.empty() || state->running >= state->parallel) {
      return;
    }
    auto job = std::move(state->waiting.front().job);
    state->waiting.pop_front();
    ++state->running;
    job(Completion<void>([state](const Status&) {
      --state->running;
      state->executor.post([state] { runNext(state); });
    }));
  }

  std::shared_ptr<State> state_;
};

}  // namespace svc::plugins
