#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "server_address.h"

namespace svc::serverlink {

/// An HTTP proxy that connections go through (CONNECT).
struct Proxy {
  std::string host;  ///< without brackets
  std::uint16_t port = 0;
  /// Value of Proxy-Authorization; empty = none.
  std::string authorization{};

  friend bool operator==(const Proxy&, const Proxy&) = default;
};

/// What HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY say, in either case; the lower case wins. A value, thread-safe.
class ProxySettings {
 public:
  ProxySettings() = default;
  /// `variable`: an environment variable by name, empty when it is not set. What cannot be read is in problems().
  explicit ProxySettings(const std::function<std::string(const char* name)>& variable);

  /// The proxy on the way to a server; none for this machine and for what NO_PROXY names: "*", a name with the names below it,
  /// an address, each with or without a port.
  [[nodiscard]] std::optional<Proxy> forServer(const ServerAddress& server) const;
  /// Sentences for the log. They show no passwords.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::optional<Proxy> plain_;
  std::optional<Proxy> tls_;
  std::vector<std::string> direct_;
  std::vector<std::string> problems_;
};

}  // namespace svc::serverlink
