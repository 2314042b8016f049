#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "svc/common/limits/hosts.h"

namespace svc::plugins {

/// How much of a plugin's log goes into the server's, where it shares the room with everybody: so many lines and bytes a minute.
/// The plugin's own log has the rest. One thread at a time.
class ServerLogShare {
 public:
  using Time = std::chrono::steady_clock::time_point;

  static constexpr auto kWindow = std::chrono::minutes(1);
  static constexpr std::size_t kLines = limits::kWorkerLogLines;
  static constexpr std::size_t kBytes = 256UL * 1024;

  /// False when a line of this size does not go there, which is counted.
  [[nodiscard]] bool admits(std::size_t bytes, Time now) {
    if (lines_ == 0 || isOver(now)) {
      begin_ = now;
      lines_ = bytes_ = 0;
    }
    if (lines_ >= kLines || bytes_ + bytes > kBytes) {
      ++left_out_;
      return false;
    }
    ++lines_;
    bytes_ += bytes;
    return true;
  }
  [[nodiscard]] bool isOver(Time now) const { return now - begin_ >= kWindow; }
  /// Lines that were left out since the last time.
  [[nodiscard]] std::uint64_t takeLeftOut() { return std::exchange(left_out_, 0); }

 private:
  Time begin_{};
  std::size_t lines_ = 0;
  std::size_t bytes_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace svc::plugins
