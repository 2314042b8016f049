#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "svc/base/random.h"

namespace svc::common {

/// "<prefix>_" and 26 lower-case base32 characters: ids of one prefix sort by the time they were made. `now` in milliseconds since
/// the epoch.
[[nodiscard]] inline std::string newRecordId(
    std::string_view prefix, std::int64_t now,
    const std::function<std::uint64_t()>& random = base::randomNumber) {
  constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
  constexpr int kTime = 10;
  constexpr int kRandom = 16;
  constexpr std::uint64_t kMask = 31;
  std::string out(prefix);
  out += '_';
  for (int digit = kTime - 1; digit >= 0; --digit) {
    out +=
        kDigits[(static_cast<std::uint64_t>(now) >> (5U * static_cast<unsigned>(digit))) & kMask];
  }
  for (int digit = 0; digit < kRandom; ++digit) {
    out += kDigits[random() & kMask];
  }
  return out;
}

}  // namespace svc::common
