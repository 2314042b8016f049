#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "svc/kernel/executor.h"
#include "svc/kernel/main_io.h"

namespace svc::kernel {

/// The main thread's queue, timers and sockets. Thread-safe; runUntil() and context() belong to the thread that made it.
class MainLoop final : public IMainExecutor, public IMainIo {
 public:
  MainLoop();
  ~MainLoop() override;

  void post(Task task) override;
  [[nodiscard]] Handle after(std::chrono::milliseconds delay, Task task) override;
  [[nodiscard]] bool isCurrent() const override;

  [[nodiscard]] boost::asio::io_context& context() override;

  /// Runs tasks until `finished` returns true (checked after each task and handler) or, when given, the deadline passes.
  /// False when the deadline ended it.
  bool runUntil(const std::function<bool()>& finished,
                std::optional<std::chrono::steady_clock::time_point> deadline = std::nullopt);

 private:
  struct Io;
  struct State;
  std::shared_ptr<State> state_;
  std::thread::id thread_;
};

class SystemClock final : public IClock {
 public:
  [[nodiscard]] std::int64_t nowMs() const override;
  [[nodiscard]] std::chrono::steady_clock::time_point steadyNow() const override;
};

}  // namespace svc::kernel
