#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "svc/kernel/executor.h"

namespace svc::test {

/// A clock that moves only in advance(). Thread-safe.
class FakeClock : public IClock {
 public:
  [[nodiscard]] std::int64_t nowMs() const override { return start_ms_ + passed_ms_.load(); }
  [[nodiscard]] std::chrono::steady_clock::time_point steadyNow() const override {
    return start_ + std::chrono::milliseconds(passed_ms_.load());
  }
  void advance(std::chrono::milliseconds delta) { passed_ms_ += delta.count(); }

 private:
  std::int64_t start_ms_ = 1'700'000'000'000;
  std::chrono::steady_clock::time_point start_{std::chrono::hours(1)};
  std::atomic<std::int64_t> passed_ms_{0};
};

}  // namespace svc::test
