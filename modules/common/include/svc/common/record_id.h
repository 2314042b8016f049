#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "svc/base/random.h"

namespace svc::common {

/// How many ids were made in this millisecond before. Any thread.
[[nodiscard]] inline std::uint64_t placeInMillisecond(std::int64_t now) {
  static std::mutex mutex;
  static std::int64_t last = 0;
  static std::uint64_t count = 0;
  const std::scoped_lock lock(mutex);
  count = now == last ? count + 1 : 0;
  last = now;
  return count;
}

/// "<prefix>_" and 26 lower-case base32 characters: ids of one prefix sort by the time they were made, those of one millisecond and
/// process (up to 1,024) in their order. `now` in milliseconds since the epoch.
[[nodiscard]] inline std::string newRecordId(
    std::string_view prefix, std::int64_t now,
    const std::function<std::uint64_t()>& random = base::randomNumber) {
  constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
  constexpr int kTime = 10;
  constexpr int kPlace = 2;
  constexpr int kRandom = 14;
  constexpr std::uint64_t kMask = 31;
  std::string out(prefix);
  out += '_';
  for (int digit = kTime - 1; digit >= 0; --digit) {
    out +=
        kDigits[(static_cast<std::uint64_t>(now) >> (5U * static_cast<unsigned>(digit))) & kMask];
  }
  const auto place = std::min<std::uint64_t>(placeInMillisecond(now), (1U << (5U * kPlace)) - 1U);
  for (int digit = kPlace - 1; digit >= 0; --digit) {
    out += kDigits[(place >> (5U * static_cast<unsigned>(digit))) & kMask];
  }
  for (int digit = 0; digit < kRandom; ++digit) {
    out += kDigits[random() & kMask];
  }
  return out;
}

}  // namespace svc::common
