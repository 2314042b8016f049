#pragma once

#include <chrono>
#include <utility>

#include "svc/kernel/executor.h"

#include "main_loop.h"

namespace svc::hostworkers {

/// Longer than anything here takes.
inline constexpr std::chrono::seconds kTooLong{30};

/// Runs tasks and what is on the context on the thread of the test.
class TestMain final : public IExecutor {
 public:
  void post(Task task) override { loop_.post(std::move(task)); }
  Handle after(std::chrono::milliseconds /*delay*/, Task /*task*/) override { return Handle(); }
  bool isCurrent() const override { return true; }

  /// False when `done` did not become true.
  template <class Done>
  bool runUntil(Done done, std::chrono::milliseconds patience = kTooLong) {
    return loop_.runUntil(done, std::chrono::steady_clock::now() + patience);
  }
  [[nodiscard]] boost::asio::io_context& context() { return loop_.context(); }

 private:
  kernel::MainLoop loop_;
};

}  // namespace svc::hostworkers
