#pragma once

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "svc/kernel/async.h"

// Courses: what happens over several executors, in one function that reads from top to bottom.
//
//   Course<Record> Manager::enable(std::string id) {
//     const auto self = shared_from_this();
//     auto turn = co_await operations_.turn();
//     if (!turn) {
//       co_return std::move(turn).error();
//     }
//     const auto find = [this, id] { return store_.find(id); };
//     auto row = co_await onWorker(workers_, main_, find);
//     ...
//   }
//   manager->enable(id).start(std::move(done));
//
// - It costs a frame on the heap and one atomic exchange for each wait: not for the hot path.
// - It goes on where the answer fires, as the handler of a Completion does; the interface that answers says where.
// - A course that is a method holds its object first of all. Parameters are values: a reference would outlive its caller.
//   No course is a lambda with captures, which die before it.
// - g++ 12 destroys twice what stands in a co_await expression as a closure with captures or as braces of an aggregate:
//   name it before. (What ask, answer and onWorker can see of that does not compile.) Nor does it get a co_await inside a
//   conditional operator right.

namespace svc {

template <class T>
class Course;

namespace detail {

/// What every frame knows of the course it is part of.
struct CourseFrame {
  /// The outermost frame, which owns all others: ending it ends the course.
  std::coroutine_handle<> root;
};

/// Goes on with a course, once; dropped without, it ends the course.
class Resumption {
 public:
  Resumption(std::coroutine_handle<> frame, std::coroutine_handle<> root)
      : frame_(frame), root_(root) {}
  Resumption(Resumption&& other) noexcept
      : frame_(std::exchange(other.frame_, nullptr)), root_(other.root_) {}
  Resumption(const Resumption&) = delete;
  Resumption& operator=(const Resumption&) = delete;
  Resumption& operator=(Resumption&&) = delete;
  ~Resumption() {
    if (frame_) {
      root_.destroy();
    }
  }
  void operator()() { std::exchange(frame_, nullptr).resume(); }

 private:
  std::coroutine_handle<> frame_;
  std::coroutine_handle<> root_;
};

/// False for what g++ 12 would destroy twice, had it been made in the co_await expression.
template <class Callable>
inline constexpr bool kMayBeAwaited =
    std::is_lvalue_reference_v<Callable> || std::is_trivially_destructible_v<Callable>;

template <class Method>
struct Asked;
template <class Object, class R, class... P>
struct Asked<R (Object::*)(P...)> {
  using Value = typename std::tuple_element_t<sizeof...(P) - 1, std::tuple<P...>>::value_type;
};
template <class Object, class R, class... P>
struct Asked<R (Object::*)(P...) const> : Asked<R (Object::*)(P...)> {};

}  // namespace detail

/// The return type of a course, which answers a Result<T>. Nothing runs before start(), or before another course awaits
/// it; one that is dropped never runs. When the executor it waits for drops its tasks, the course ends there: everything
/// its frames hold goes, and the answer is `aborted`. What it throws is an internal error.
template <class T>
class [[nodiscard]] Course {
 public:
  struct promise_type;  // NOLINT(readability-identifier-naming): the language's name
  using Frame = std::coroutine_handle<promise_type>;

  Course(Course&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
  Course(const Course&) = delete;
  Course& operator=(const Course&) = delete;
  Course& operator=(Course&&) = delete;
  ~Course() {
    if (frame_) {
      frame_.destroy();
    }
  }

  /// Runs up to its first wait. `done` fires where the course ends, after all it holds is gone.
  void start(Completion<T> done) && {
    const auto frame = std::exchange(frame_, nullptr);
    frame.promise().root = frame;
    frame.promise().done = std::move(done);
    frame.resume();
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> outer) {
    frame_.promise().root = outer.promise().root;
    frame_.promise().outer = outer;
    return frame_;
  }
  Result<T> await_resume() { return *std::move(frame_.promise().result); }

 private:
  explicit Course(Frame frame) : frame_(frame) {}

  Frame frame_;
};

template <class T>
struct Course<T>::promise_type : detail::CourseFrame {
  struct End {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Frame frame) const noexcept {
      auto& promise = frame.promise();
      if (promise.outer) {
        return promise.outer;
      }
      auto done = std::move(promise.done);
      auto answer = *std::move(promise.result);
      frame.destroy();  // and this object with it
      done(std::move(answer));
      return std::noop_coroutine();
    }
    void await_resume() const noexcept {}
  };

  Course get_return_object() { return Course(Frame::from_promise(*this)); }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  End final_suspend() const noexcept { return {}; }
  void return_value(Result<T> value) { result.emplace(std::move(value)); }
  void unhandled_exception() noexcept {
    result.emplace(
        guarded([]() -> Result<T> { std::rethrow_exception(std::current_exception()); }));
  }

  std::coroutine_handle<> outer;  ///< which awaits this one; none: it is the root
  Completion<T> done;             ///< of a root
  std::optional<Result<T>> result;
};

/// What `begin`, called with a Completion<T>, answers. Made by answer(), ask(), onWorker(); awaited at once.
template <class T, class Begin>
class [[nodiscard]] Answer {
 public:
  explicit Answer(Begin begin) : begin_(std::move(begin)) {}

  /// Begins when the completion that `first` is called with has fired, whatever it says.
  template <class First>
  auto after(First first) &&;
  /// The answer comes on `executor`.
  auto on(IExecutor& executor) &&;
  /// Or `timeout` when it has not come after `limit`. The answer comes on `executor`, as in limited().
  auto within(IExecutor& executor, std::chrono::milliseconds limit, Error timeout) &&;
  /// Or `aborted` as soon as a stop is requested; then nothing is begun any more. See stoppable() for threads.
  auto until(std::stop_token stop) &&;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  bool await_suspend(std::coroutine_handle<> frame) {
    begin_(Completion<T>([this, frame](Result<T> result) {
      result_.emplace(std::move(result));
      if (met_.exchange(true)) {
        frame.resume();
      }
    }));
    // The answer may have come already, or come on another thread right now: whoever is second goes on.
    return !met_.exchange(true);
  }
  Result<T> await_resume() { return *std::move(result_); }

 private:
  Begin begin_;
  std::optional<Result<T>> result_;
  std::atomic<bool> met_ = false;
};

namespace detail {

template <class T, class Begin>
auto makeAnswer(Begin begin) {
  return Answer<T, Begin>(std::move(begin));
}

}  // namespace detail

/// Awaits what a function answers: answer<Row>([&](Completion<Row> done) { … }). A completion that is dropped answers
/// `aborted`, and the course goes on with that.
template <class T, class Begin>
auto answer(Begin&& begin) {
  static_assert(detail::kMayBeAwaited<Begin>, "give it a name before the co_await expression");
  return Answer<T, std::decay_t<Begin>>(std::forward<Begin>(begin));
}

/// Awaits what a method answers whose last parameter is a completion: ask(manager, &IManager::find, id).
template <class Object, class Method, class... Arguments>
auto ask(Object& object, Method method, Arguments&&... arguments) {
  static_assert(
      ((detail::kMayBeAwaited<Arguments> || !std::is_aggregate_v<std::decay_t<Arguments>>)&&...),
      "give it a name before the co_await expression");
  using T = typename detail::Asked<Method>::Value;
  return detail::makeAnswer<T>(
      [&object, method, ... kept = std::decay_t<Arguments>(std::forward<Arguments>(arguments))](
          Completion<T> done) mutable { (object.*method)(std::move(kept)..., std::move(done)); });
}

/// Awaits a blocking job on a worker, which returns a Result; goes on as a task of `executor`. See runOnWorker().
template <class Workers, class Job>
auto onWorker(Workers& workers, IExecutor& executor, Job&& job) {
  static_assert(detail::kMayBeAwaited<Job>, "give it a name before the co_await expression");
  using T = typename std::invoke_result_t<Job&>::value_type;
  return detail::makeAnswer<T>(
      [&workers, &executor,
       job = std::decay_t<Job>(std::forward<Job>(job))](Completion<T> done) mutable {
        runOnWorker<T>(workers, executor, std::move(job), std::move(done));
      });
}

/// Awaits courses side by side, on one thread: the result of each, in their order.
template <class T>
auto all(std::vector<Course<T>> courses) {
  using Results = std::vector<Result<T>>;
  return detail::makeAnswer<Results>(
      [courses = std::move(courses)](Completion<Results> done) mutable {
        auto results = std::make_shared<std::vector<std::optional<Result<T>>>>(courses.size());
        Countdown ended([results, done = std::move(done)](const Status&) mutable {
          Results out;
          for (auto& result : *results) {
            out.push_back(*std::move(result));
          }
          done(std::move(out));
        });
        for (std::size_t index = 0; index < courses.size(); ++index) {
          std::move(courses.at(index))
              .start([results, index, share = ended.share()](Result<T> result) mutable {
                results->at(index).emplace(std::move(result));
                share({});
              });
        }
        ended.arm();
      });
}

/// `co_await onto(main)`: goes on as a task of that executor.
class
    [[nodiscard]] onto {  // NOLINT(readability-identifier-naming): reads as a word of the language
 public:
  explicit onto(IExecutor& executor) : executor_(executor) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> frame) const {
    executor_.post(detail::Resumption(frame, frame.promise().root));
  }
  void await_resume() const noexcept {}

 private:
  IExecutor& executor_;
};

template <class T, class Begin>
template <class First>
auto Answer<T, Begin>::after(First first) && {
  return detail::makeAnswer<T>(
      [begin = std::move(begin_), first = std::move(first)](Completion<T> done) mutable {
        first(Completion<void>([begin = std::move(begin), done = std::move(done)](
                                   const Status&) mutable { begin(std::move(done)); }));
      });
}

template <class T, class Begin>
auto Answer<T, Begin>::on(IExecutor& executor) && {
  return detail::makeAnswer<T>([begin = std::move(begin_), &executor](Completion<T> done) mutable {
    begin(deliverOn(executor, std::move(done)));
  });
}

template <class T, class Begin>
auto Answer<T, Begin>::within(IExecutor& executor, std::chrono::milliseconds limit,
                              Error timeout) && {
  return detail::makeAnswer<T>([begin = std::move(begin_), &executor, limit,
                                timeout = std::move(timeout)](Completion<T> done) mutable {
    begin(limited(executor, limit, std::move(timeout), std::move(done)));
  });
}

template <class T, class Begin>
auto Answer<T, Begin>::until(std::stop_token stop) && {
  return detail::makeAnswer<T>(
      [begin = std::move(begin_), stop = std::move(stop)](Completion<T> done) mutable {
        if (stop.stop_requested()) {
          done(Error{errc::kAborted, "the request was stopped"});
          return;
        }
        begin(stoppable(stop, std::move(done)));
      });
}

}  // namespace svc
