#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

#include <spdlog/logger.h>

#include "svc/kernel/executor.h"

namespace svc::machines {

/// Passes the lines of the local host daemon on to the server's log: JSON lines with their level, others as they are; at most
/// L:worker-log lines a minute, the rest is counted. One thread at a time.
class DaemonLog {
 public:
  DaemonLog(const IClock& clock, std::shared_ptr<spdlog::logger> log)
      : clock_(clock), log_(std::move(log)) {}
  void write(std::string_view line);

 private:
  const IClock& clock_;
  const std::shared_ptr<spdlog::logger> log_;
  std::chrono::steady_clock::time_point window_{};
  std::size_t lines_ = 0;
};

}  // namespace svc::machines
