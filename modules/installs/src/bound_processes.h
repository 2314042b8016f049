#pragma once

#include <chrono>

#include "svc/kernel/executor.h"

#include "process.h"

namespace svc::installs {

/// Everything that one task runs, within one time from now on. What begins when it is over is not run: `timeout`. Thread-safe; blocks.
class BoundProcesses final : public IProcesses {
 public:
  BoundProcesses(IProcesses& processes, const IClock& clock, std::chrono::milliseconds time)
      : processes_(processes), clock_(clock), end_(clock.steadyNow() + time) {}

  [[nodiscard]] Result<Output> run(const Command& command, std::stop_token stop) override;

 private:
  IProcesses& processes_;
  const IClock& clock_;
  const std::chrono::steady_clock::time_point end_;
};

}  // namespace svc::installs
