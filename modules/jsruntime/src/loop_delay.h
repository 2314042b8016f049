#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>

namespace svc::jsruntime {

/// How late an event loop was with the latest answers to the supervisor, which asks about once a second. Thread-safe.
class LoopDelay {
 public:
  using Milliseconds = std::chrono::duration<double, std::milli>;

  void add(Milliseconds late) {
    const std::lock_guard lock(mutex_);
    samples_[next_] = late.count();
    next_ = (next_ + 1) % kKept;
    count_ = std::min(count_ + 1, kKept);
  }
  /// 0 before the first sample.
  [[nodiscard]] double percentile99() const {
    std::array<double, kKept> sorted{};
    std::size_t count = 0;
    {
      const std::lock_guard lock(mutex_);
      sorted = samples_;
      count = count_;
    }
    if (count == 0) {
      return 0;
    }
    const auto at = (count - 1) * 99 / 100;
    const auto begin = sorted.begin();
    std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(at),
                     begin + static_cast<std::ptrdiff_t>(count));
    return sorted[at];
  }

 private:
  /// About two minutes.
  static constexpr std::size_t kKept = 128;
  mutable std::mutex mutex_;
  std::array<double, kKept> samples_{};
  std::size_t next_ = 0;
  std::size_t count_ = 0;
};

}  // namespace svc::jsruntime
