#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/io_context.hpp>

#include "svc/http/http.h"

namespace svc::http {

/// The io thread and its io_context. post() wakes the thread only when its task list was empty, so that a burst of
/// answers costs one wake-up.
class Reactor final : public IReactor {
 public:
  Reactor();
  ~Reactor() override;
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  void start();
  /// True from start() to stop(). Main thread.
  [[nodiscard]] bool started() const { return thread_.joinable(); }
  /// Ends the thread after the task it runs; what is still posted is destroyed, later posts are dropped.
  void stop();

  void post(Task task) override;
  [[nodiscard]] Handle after(std::chrono::milliseconds delay, Task task) override;
  [[nodiscard]] bool isCurrent() const override;

  [[nodiscard]] boost::asio::io_context& context() { return context_; }

 private:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Due = std::pair<TimePoint, std::uint64_t>;
  using Timer =
      boost::asio::basic_waitable_timer<std::chrono::steady_clock,
                                        boost::asio::wait_traits<std::chrono::steady_clock>,
                                        boost::asio::io_context::executor_type>;
  // Shared with handles, which may outlive the reactor.
  struct State {
    std::mutex mutex;
    bool stopped = false;
    std::vector<Task> tasks;
    std::map<Due, Task> timers;
    std::uint64_t last_timer = 0;
  };

  void runTasks();
  void armTimer();
  void fireTimers();

  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  Timer timer_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::vector<Task> running_;
  std::thread thread_;
};

}  // namespace svc::http
