#pragma once

#include <algorithm>
#include <cstddef>

namespace svc::http {

/// Tells when much of what bodies and answers have taken is free again: the C library keeps such memory for later, and a server
/// that was under load once would look for ever as if it were.
class MemoryPeak {
 public:
  /// Below that it is not worth the work.
  static constexpr std::size_t kWorth = 64UL * 1024 * 1024;

  /// Call from time to time with what is in use: true once when that has fallen to an eighth of its highest.
  [[nodiscard]] bool hasFallen(std::size_t bytes) {
    most_ = std::max(most_, bytes);
    if (most_ < kWorth || bytes > most_ / 8) {
      return false;
    }
    most_ = bytes;
    return true;
  }

 private:
  std::size_t most_ = 0;
};

}  // namespace svc::http
