#include "main_loop.h"

#include <memory>
#include <optional>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "svc/kernel/assert.h"

namespace svc::kernel {
namespace {

/// So many tasks may run while sockets wait.
constexpr int kTasksPerTurn = 64;

}  // namespace

using Time = std::chrono::steady_clock::time_point;
/// When, and which of those at the same time.
using Due = std::pair<Time, std::uint64_t>;

/// The wait when somebody has sockets on this thread.
struct MainLoop::Io {
  boost::asio::io_context context{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{
      context.get_executor()};
  boost::asio::steady_timer alarm{context};
  std::optional<Time> rings;

  /// Runs one handler, or returns at `until` or after wake().
  void wait(std::optional<Time> until) {
    if (until && (!rings || *until < *rings)) {
      rings = until;
      alarm.expires_at(*until);
      alarm.async_wait([this](const boost::system::error_code& failure) {
        if (!failure) {
          rings.reset();
        }
      });
    }
    context.run_one();
  }
  void wake() {
    boost::asio::post(context, [] {});
  }
};

struct MainLoop::State {
  std::mutex mutex;
  std::condition_variable wake;
  std::deque<Task> tasks;
  std::map<Due, Task> timers;
  std::uint64_t next_timer = 1;
  /// The main thread is in it, and nobody has woken it yet.
  bool waits_in_io = false;
  int tasks_in_turn = 0;
  std::unique_ptr<Io> io;  // made on the main thread, with the lock held; gone before what is above

  /// After a change, with its lock; `is_main` on the main thread, which does not wait.
  void wakeUp(std::unique_lock<std::mutex> lock, bool is_main) {
    const bool leaves_io = !is_main && std::exchange(waits_in_io, false);
    lock.unlock();
    if (leaves_io) {
      io->wake();
    } else if (!is_main) {
      wake.notify_one();
    }
  }

  /// Takes the next runnable task, or waits for one until `deadline`. Empty when the deadline passed. What a handler of a socket was
  /// called for is a task without content.
  Task next(std::optional<Time> deadline) {
    std::unique_lock lock(mutex);
    for (;;) {
      if (io && ++tasks_in_turn > kTasksPerTurn) {
        tasks_in_turn = 0;
        lock.unlock();
        if (io->context.poll_one() > 0) {
          return [] {};
        }
        lock.lock();
      }
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
      if (io) {
        waits_in_io = true;
        tasks_in_turn = 0;
        lock.unlock();
        io->wait(until);
        lock.lock();
        waits_in_io = false;
        return [] {};
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

MainLoop::~MainLoop() {
  // What is left there may still post.
  std::unique_ptr<Io> io;
  {
    const std::lock_guard lock(state_->mutex);
    io.swap(state_->io);
  }
}

boost::asio::io_context& MainLoop::context() {
  SVC_ASSERT(isCurrent());
  const std::lock_guard lock(state_->mutex);
  if (!state_->io) {
    state_->io = std::make_unique<Io>();
  }
  return state_->io->context;
}

void MainLoop::post(Task task) {
  std::unique_lock lock(state_->mutex);
  state_->tasks.push_back(std::move(task));
  state_->wakeUp(std::move(lock), isCurrent());
}

Handle MainLoop::after(std::chrono::milliseconds delay, Task task) {
  std::unique_lock lock(state_->mutex);
  const Due due{std::chrono::steady_clock::now() + delay, state_->next_timer++};
  if (state_->timers.emplace(due, std::move(task)).first == state_->timers.begin()) {
    state_->wakeUp(std::move(lock), isCurrent());
  } else {
    lock.unlock();
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
