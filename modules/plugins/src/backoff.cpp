#include "backoff.h"

#include <algorithm>

#include "svc/common/limits/plugins.h"

namespace svc::plugins {

std::chrono::milliseconds backoffDelay(unsigned attempt, double share) {
  auto delay = limits::kBackoffBase;
  for (; attempt > 0 && delay < limits::kBackoffMax; --attempt) {
    delay *= 2;
  }
  delay = std::min(delay, limits::kBackoffMax);
  const auto shortened = static_cast<double>(delay.count()) * (1 - limits::kBackoffJitter * share);
  return std::chrono::milliseconds{static_cast<std::int64_t>(shortened)};
}

}  // namespace svc::plugins
