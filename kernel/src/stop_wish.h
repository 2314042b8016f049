#pragma once

#include <chrono>
#include <optional>

namespace svc::kernel {

/// What signals that end a program mean together. A terminal and a supervisor may send theirs at once, and mean one clean
/// stop; who sends another one later does not want to wait for it. Lives on the signals thread.
class StopWish {
 public:
  using Clock = std::chrono::steady_clock;
  /// Signals that come this soon after the first one ask for the same.
  static constexpr std::chrono::milliseconds kGrace{300};

  enum class Means { kStop, kNothing, kEndAtOnce };

  [[nodiscard]] Means signal(Clock::time_point now) {
    if (!first_) {
      first_ = now;
      return Means::kStop;
    }
    return now - *first_ < kGrace ? Means::kNothing : Means::kEndAtOnce;
  }

 private:
  std::optional<Clock::time_point> first_;
};

}  // namespace svc::kernel
