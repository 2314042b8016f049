#include "reactor.h"

#include <boost/asio/post.hpp>

#include "svc/kernel/thread_role.h"

namespace svc::http {
namespace {

thread_local const Reactor* current_reactor = nullptr;

}  // namespace

Reactor::Reactor() : work_(context_.get_executor()), timer_(context_) {}

Reactor::~Reactor() { stop(); }

void Reactor::start() {
  SVC_ASSERT(!thread_.joinable());
  thread_ = std::thread([this] {
    setThreadRole(ThreadRole::kIo);
    current_reactor = this;
    context_.run();
    current_reactor = nullptr;
  });
}

void Reactor::stop() {
  context_.stop();
  if (thread_.joinable()) {
    thread_.join();
  }
  std::vector<Task> tasks;
  std::map<Due, Task> timers;
  {
    const std::scoped_lock lock(state_->mutex);
    state_->stopped = true;
    tasks.swap(state_->tasks);
    timers.swap(state_->timers);
  }
}

void Reactor::post(Task task) {
  bool wake = false;
  {
    const std::scoped_lock lock(state_->mutex);
    if (state_->stopped) {
      return;
    }
    wake = state_->tasks.empty();
    state_->tasks.push_back(std::move(task));
  }
  if (wake) {
    boost::asio::post(context_, [this] { runTasks(); });
  }
}

void Reactor::runTasks() {
  {
    const std::scoped_lock lock(state_->mutex);
    running_.swap(state_->tasks);
  }
  for (auto& task : running_) {
    task();
    task = nullptr;
  }
  running_.clear();
}

Handle Reactor::after(std::chrono::milliseconds delay, Task task) {
  Due due;
  bool first = false;
  {
    const std::scoped_lock lock(state_->mutex);
    if (state_->stopped) {
      return {};
    }
    due = {std::chrono::steady_clock::now() + delay, ++state_->last_timer};
    const auto position = state_->timers.emplace(due, std::move(task)).first;
    first = position == state_->timers.begin();
  }
  if (first) {
    post([this] { armTimer(); });
  }
  return Handle([state = state_, due] {
    Task doomed;
    const std::scoped_lock lock(state->mutex);
    if (const auto found = state->timers.find(due); found != state->timers.end()) {
      doomed = std::move(found->second);
      state->timers.erase(found);
    }
  });
}

bool Reactor::isCurrent() const { return current_reactor == this; }

void Reactor::armTimer() {
  TimePoint next;
  {
    const std::scoped_lock lock(state_->mutex);
    if (state_->timers.empty()) {
      return;
    }
    next = state_->timers.begin()->first.first;
  }
  timer_.expires_at(next);
  timer_.async_wait([this](const boost::system::error_code& failure) {
    if (!failure) {
      fireTimers();
    }
  });
}

void Reactor::fireTimers() {
  for (;;) {
    Task task;
    {
      const std::scoped_lock lock(state_->mutex);
      const auto first = state_->timers.begin();
      if (first == state_->timers.end() || first->first.first > std::chrono::steady_clock::now()) {
        break;
      }
      task = std::move(first->second);
      state_->timers.erase(first);
    }
    task();
  }
  armTimer();
}

}  // namespace svc::http
