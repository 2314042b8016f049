#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "svc/common/codes.h"
#include "svc/kernel/coroutine.h"

namespace svc::installs {

/// A token that stops when one of two others does.
class LinkedStop {
 public:
  LinkedStop(std::stop_token first, std::stop_token second)
      : first_(std::move(first), Request{&source_}),
        second_(std::move(second), Request{&source_}) {}
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  struct Request {
    std::stop_source* source;
    void operator()() const { source->request_stop(); }
  };
  std::stop_source source_;
  std::stop_callback<Request> first_;
  std::stop_callback<Request> second_;
};

/// Blocking bodies on the bulk lane, answers on the main thread. Thread-safe.
class Work {
 public:
  Work(IBulkWorkers& threads, IMainExecutor& main, std::stop_token shutdown)
      : threads_(threads), main_(main), shutdown_(std::move(shutdown)) {}

  /// `body` gets a token that stops with `stop` or with the service; it does not begin after that.
  template <class T, class Body>
  void run(std::stop_token stop, Body body, Completion<T> done) {
    auto job = [stop = std::move(stop), shutdown = shutdown_,
                body = std::move(body)]() mutable -> Result<T> {
      const LinkedStop linked(stop, shutdown);
      if (linked.token().stop_requested()) {
        return Error{errc::kAborted, "the request was stopped"};
      }
      return body(linked.token());
    };
    runOnWorker<T>(threads_, main_, std::move(job), std::move(done),
                   {errc::kOverloaded, "too many installs and checks are waiting; try again"});
  }
  /// Awaits what run() answers. A body with captures needs a name (svc/kernel/coroutine.h).
  template <class Body>
  auto on(std::stop_token stop, const Body& body) {
    using T = typename std::invoke_result_t<Body, const std::stop_token&>::value_type;
    auto begin = [this, stop = std::move(stop), body](Completion<T> done) {
      run<T>(stop, body, std::move(done));
    };
    return answer<T>(begin);
  }
  [[nodiscard]] IMainExecutor& main() const { return main_; }

 private:
  IBulkWorkers& threads_;
  IMainExecutor& main_;
  std::stop_token shutdown_;
};

/// Runs short blocking tasks one after another on a pool, in the order given. Thread-safe; lives until its tasks have.
class Serial : public std::enable_shared_from_this<Serial> {
 public:
  explicit Serial(IWorkerPool& pool) : pool_(pool) {}

  void add(Task task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
      if (std::exchange(running_, true)) {
        return;
      }
    }
    if (!pool_.submit([self = shared_from_this()] { self->run(); })) {
      // The pool is full or has ended: what is written here is not worth waiting for.
      const std::lock_guard lock(mutex_);
      tasks_.clear();
      running_ = false;
    }
  }

 private:
  void run() {
    while (true) {
      Task task;
      {
        const std::lock_guard lock(mutex_);
        if (tasks_.empty()) {
          running_ = false;
          return;
        }
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  IWorkerPool& pool_;
  std::mutex mutex_;
  std::deque<Task> tasks_;
  bool running_ = false;
};

}  // namespace svc::installs
