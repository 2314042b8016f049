#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "svc/base/random.h"
#include "svc/common/limits/http.h"

namespace svc::http {

/// True when both are the same. The time it takes depends on the lengths alone.
[[nodiscard]] inline bool sameSecret(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) {
    return false;
  }
  unsigned difference = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    difference |= static_cast<unsigned>(static_cast<unsigned char>(left[i]) ^
                                        static_cast<unsigned char>(right[i]));
    // The compiler must not see that the loop could end early.
    asm volatile("" : "+r"(difference));
  }
  return difference == 0;
}

/// lim.httpToken random bytes in hexadecimal.
[[nodiscard]] inline std::string randomSecret() { return base::randomHex(limits::kHttpToken); }

/// What randomSecret() makes.
[[nodiscard]] inline bool isSecret(std::string_view text) {
  return text.size() == 2 * limits::kHttpToken &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace svc::http
