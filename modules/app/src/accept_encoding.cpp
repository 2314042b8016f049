#include "accept_encoding.h"

#include "svc/http/text.h"

namespace svc::app {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// "q=0", "q=0.000".
bool forbids(std::string_view parameters) {
  const auto at = parameters.find("q=");
  return at != std::string_view::npos &&
         parameters.substr(at + 2).find_first_not_of("0. ") == std::string_view::npos;
}

}  // namespace

Encoding bestEncoding(std::string_view accept_encoding) {
  auto best = Encoding::kIdentity;
  while (!accept_encoding.empty()) {
    const auto comma = accept_encoding.find(',');
    const auto item = accept_encoding.substr(0, comma);
    accept_encoding.remove_prefix(comma == std::string_view::npos ? accept_encoding.size()
                                                                  : comma + 1);
    const auto semicolon = item.find(';');
    const auto name = trimmed(item.substr(0, semicolon));
    if (semicolon != std::string_view::npos && forbids(item.substr(semicolon + 1))) {
      continue;
    }
    if (http::equalsIgnoreCase(name, "br")) {
      return Encoding::kBrotli;
    }
    if (http::equalsIgnoreCase(name, "gzip")) {
      best = Encoding::kGzip;
    }
  }
  return best;
}

}  // namespace svc::app
