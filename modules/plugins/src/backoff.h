#pragma once

#include <chrono>

namespace svc::plugins {

/// The delay before attempt `attempt` (from 0) after a failure: lim.backoffBase, doubling up to lim.backoffMax, and
/// shorter by the share of lim.backoffJitter that `share` (in [0, 1)) says, so that what failed together does not come
/// back together.
[[nodiscard]] std::chrono::milliseconds backoffDelay(unsigned attempt, double share);

}  // namespace svc::plugins
