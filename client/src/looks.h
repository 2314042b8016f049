#pragma once

#include <algorithm>
#include <chrono>

namespace svc::client {

/// How long to wait after look `look` (0 for the first) at something that the server is about to have done: what takes a moment is
/// seen a moment later, and what takes long is not asked for all the time.
[[nodiscard]] constexpr std::chrono::milliseconds pauseAfterLook(int look) {
  using std::chrono::milliseconds;
  constexpr milliseconds kFirst{25};
  constexpr milliseconds kLongest{250};
  constexpr int kDoublings = 4;
  return std::min(kFirst * (1 << std::clamp(look, 0, kDoublings)), kLongest);
}

}  // namespace svc::client
