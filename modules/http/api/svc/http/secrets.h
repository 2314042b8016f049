#pragma once

#include <sys/random.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "svc/common/limits.h"
#include "svc/kernel/result.h"

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
[[nodiscard]] inline Result<std::string> randomSecret() {
  std::array<unsigned char, limits::kHttpToken> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return Error{errc::kInternal, "the system gives no random bytes"};
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string secret;
  for (const auto byte : bytes) {
    secret.push_back(kDigits[byte >> 4U]);
    secret.push_back(kDigits[byte & 0x0FU]);
  }
  return secret;
}

/// What randomSecret() makes.
[[nodiscard]] inline bool isSecret(std::string_view text) {
  return text.size() == 2 * limits::kHttpToken &&
         text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace svc::http
