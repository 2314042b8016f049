#include "join_address.h"

#include <string_view>

#include <fmt/format.h>

#include "svc/http/text.h"

namespace svc::machines {
namespace {

bool isLoopback(std::string_view host) {
  return host == "::1" || host == "[::1]" || http::equalsIgnoreCase(host, "localhost") ||
         host.starts_with("127.");
}

/// "http://[::1]:4700" → ":4700"
std::string_view portOf(std::string_view base_url) {
  const auto colon = base_url.rfind(':');
  return colon == std::string_view::npos ? std::string_view() : base_url.substr(colon);
}

bool hasPort(std::string_view host) {
  const auto colon = host.rfind(':');
  const auto bracket = host.rfind(']');
  return colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
}

}  // namespace

std::string joinAddress(const ListenFacts& facts) {
  if (!facts.app_url.empty()) {
    auto url = facts.app_url;
    while (url.ends_with('/')) {
      url.pop_back();
    }
    return url;
  }
  if (isLoopback(facts.listen_host) || facts.allowed_hosts.empty()) {
    return {};
  }
  for (const auto& host : facts.allowed_hosts) {
    if (!isLoopback(host.substr(0, host.find(':')))) {
      return fmt::format("http://{}{}", host, hasPort(host) ? "" : portOf(facts.base_url));
    }
  }
  return {};
}

}  // namespace svc::machines
