#pragma once

#include <chrono>

#include "svc/kernel/executor.h"

#include "mocks/mock_reactor.h"

namespace svc::test {

/// The time of a hand-driven reactor as a clock.
class ReactorClock : public IClock {
 public:
  explicit ReactorClock(const FakeReactor& reactor) : reactor_(reactor) {}
  [[nodiscard]] std::int64_t nowMs() const override { return reactor_.now().count(); }
  [[nodiscard]] std::chrono::steady_clock::time_point steadyNow() const override {
    return std::chrono::steady_clock::time_point{reactor_.now()};
  }

 private:
  const FakeReactor& reactor_;
};

}  // namespace svc::test
