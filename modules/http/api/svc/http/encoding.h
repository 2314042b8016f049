#pragma once

#include <cstdint>
#include <string_view>

#include "svc/http/text.h"

namespace svc::http {

/// The form a body travels in.
enum class Encoding : std::uint8_t { kIdentity, kGzip, kBrotli };

/// As Content-Encoding names it.
[[nodiscard]] constexpr std::string_view encodingName(Encoding encoding) {
  return encoding == Encoding::kBrotli ? "br" : encoding == Encoding::kGzip ? "gzip" : "identity";
}

/// "q=0", "q=0.000".
[[nodiscard]] constexpr bool isZeroWeight(std::string_view parameters) {
  const auto at = parameters.find("q=");
  return at != std::string_view::npos &&
         parameters.substr(at + 2).find_first_not_of("0. ") == std::string_view::npos;
}

/// The best of what an Accept-Encoding header allows: br, then gzip. A weight of zero forbids.
[[nodiscard]] constexpr Encoding bestEncoding(std::string_view accept_encoding) {
  auto best = Encoding::kIdentity;
  while (!accept_encoding.empty()) {
    const auto comma = accept_encoding.find(',');
    const auto item = accept_encoding.substr(0, comma);
    accept_encoding.remove_prefix(comma == std::string_view::npos ? accept_encoding.size()
                                                                  : comma + 1);
    const auto semicolon = item.find(';');
    if (semicolon != std::string_view::npos && isZeroWeight(item.substr(semicolon + 1))) {
      continue;
    }
    const auto name = trimmed(item.substr(0, semicolon));
    if (equalsIgnoreCase(name, "br")) {
      return Encoding::kBrotli;
    }
    if (equalsIgnoreCase(name, "gzip")) {
      best = Encoding::kGzip;
    }
  }
  return best;
}

}  // namespace svc::http
