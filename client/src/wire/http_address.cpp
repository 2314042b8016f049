#include "wire/http_address.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace svc::client {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

/// Takes the scheme off, in whatever case it is written.
bool takeScheme(std::string_view& text, std::string_view scheme) {
  const auto same = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
  };
  if (text.size() < scheme.size() ||
      !std::equal(scheme.begin(), scheme.end(), text.begin(),
                  [&same](char wanted, char c) { return same(c, wanted); })) {
    return false;
  }
  text.remove_prefix(scheme.size());
  return true;
}

/// Nothing behind the colon means the usual port.
bool readPort(std::string_view digits, std::uint16_t& port) {
  if (digits.empty()) {
    return true;
  }
  const auto* const end = digits.data() + digits.size();
  const auto [at, failure] = std::from_chars(digits.data(), end, port);
  return failure == std::errc() && at == end;
}

/// "host", "host:4700", "[::1]:4700"
bool readAuthority(std::string_view text, HttpAddress& address) {
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == std::string_view::npos) {
      return false;
    }
    address.host = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
  } else {
    const auto end = std::min(text.find(':'), text.size());
    address.host = text.substr(0, end);
    text.remove_prefix(end);
  }
  if (address.host.empty()) {
    return false;
  }
  return text.empty() || (text.starts_with(':') && readPort(text.substr(1), address.port));
}

std::string bracketed(const std::string& host) {
  return host.find(':') == std::string::npos ? host : "[" + host + "]";
}

}  // namespace

std::optional<HttpAddress> HttpAddress::parse(std::string_view text) {
  // What would end the line of a request is part of no address.
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c != '\x7f'; });
  HttpAddress address;
  address.tls = takeScheme(text, "https://");
  if (!printable || (!address.tls && !takeScheme(text, "http://"))) {
    return std::nullopt;
  }
  address.port = address.tls ? kHttpsPort : kHttpPort;
  auto authority = text.substr(0, text.find_first_of("/?#"));
  auto path = text.substr(authority.size());
  path = path.substr(0, path.find_first_of("?#"));
  while (path.ends_with('/')) {
    path.remove_suffix(1);
  }
  address.path = path;
  if (const auto user = authority.rfind('@'); user != std::string_view::npos) {
    authority.remove_prefix(user + 1);
  }
  return readAuthority(authority, address) ? std::optional(std::move(address)) : std::nullopt;
}

std::string HttpAddress::authority() const {
  const auto usual = tls ? kHttpsPort : kHttpPort;
  return port == usual ? bracketed(host) : fmt::format("{}:{}", bracketed(host), port);
}

std::string HttpAddress::text() const {
  return fmt::format("{}://{}:{}", tls ? "https" : "http", bracketed(host), port);
}

}  // namespace svc::client
