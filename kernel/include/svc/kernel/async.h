#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

namespace svc {

/// The same answer, delivered by a task on `executor`.
template <class T>
Completion<T> deliverOn(IExecutor& executor, Completion<T> done) {
  return Completion<T>([&executor, done = std::move(done)](Result<T> result) mutable {
    executor.post([done = std::move(done), result = std::move(result)]() mutable {
      done(std::move(result));
    });
  });
}

namespace detail {

inline bool submitTo(IWorkerPool& workers, Task job) { return workers.submit(std::move(job)); }
inline bool submitTo(IBulkWorkers& workers, Task job) {
  return workers.submit([job = std::move(job)](const std::stop_token&) mutable { job(); });
}

}  // namespace detail

/// Runs a blocking job, which returns a Result<T>, on a worker of the short or the bulk lane; the answer comes on
/// `executor`. `refused` when the lane has no room; `aborted`, at once, from whoever drops the job.
template <class T, class Workers, class Job>
void runOnWorker(Workers& workers, IExecutor& executor, Job job, Completion<T> done,
                 Error refused = {errc::kOverloaded,
                                  "too many background jobs are waiting; try again"}) {
  // Shared, because a pool that refuses the task lets go of it.
  auto deliver = [&executor,
                  answer = std::make_shared<Completion<T>>(std::move(done))](Result<T> result) {
    executor.post([answer, result = std::move(result)]() mutable { (*answer)(std::move(result)); });
  };
  const bool taken = detail::submitTo(
      workers, [job = std::move(job), deliver]() mutable { deliver(guarded(job)); });
  if (!taken) {
    deliver(std::move(refused));
  }
}

/// The answer, or `timeout` when it has not come after `limit`. Lives on `executor`; so does the answer.
template <class T>
Completion<T> limited(IExecutor& executor, std::chrono::milliseconds limit, Error timeout,
                      Completion<T> done) {
  struct Wait {
    Completion<T> done;
    Handle timer;
  };
  const auto wait = std::make_shared<Wait>();
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

/// The answer, or `aborted` as soon as a stop is requested. The answer comes, and the stop is requested, on one thread.
template <class T>
Completion<T> stoppable(const std::stop_token& stop, Completion<T> done) {
  struct Wait;
  struct Abort {
    std::weak_ptr<Wait> wait;
    void operator()() const {
      if (const auto keep = wait.lock()) {
        keep->done(Error{errc::kAborted, "the request was stopped"});
      }
    }
  };
  struct Wait {
    Completion<T> done;
    std::optional<std::stop_callback<Abort>> stopped;
  };
  const auto wait = std::make_shared<Wait>();
  wait->done = std::move(done);
  wait->stopped.emplace(stop, Abort{wait});
  return Completion<T>([wait](Result<T> result) {
    wait->stopped.reset();
    wait->done(std::move(result));
  });
}

/// Fires once every job it handed out a share of has ended.
class Countdown {
 public:
  explicit Countdown(Completion<void> done) { token_->done = std::move(done); }
  [[nodiscard]] Completion<void> share() {
    return [token = token_](const Status&) mutable { token.reset(); };
  }
  /// To be called after the last share(): an empty countdown fires at once.
  void arm() {
    token_->armed = true;
    token_.reset();
  }

 private:
  struct Token {
    Token() = default;
    Token(const Token&) = delete;
    Token& operator=(const Token&) = delete;
    ~Token() {
      if (armed) {
        done({});
      }
    }
    Completion<void> done;
    bool armed = false;
  };
  std::shared_ptr<Token> token_ = std::make_shared<Token>();
};

}  // namespace svc
