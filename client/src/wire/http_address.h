#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::client {

/// Where a server listens, from an address such as http://127.0.0.1:4700/base. A value.
struct HttpAddress {
  bool tls = false;
  std::string host{};  ///< without brackets
  std::uint16_t port = 0;
  std::string path{};  ///< empty, or with a slash in front and none at the end

  /// Nothing when it is no address of http or https. A user name, a query and a fragment are left out.
  [[nodiscard]] static std::optional<HttpAddress> parse(std::string_view text);

  /// For the Host header; the port only where it is not the usual one.
  [[nodiscard]] std::string authority() const;
  /// For messages: with the port, without the path.
  [[nodiscard]] std::string text() const;
};

}  // namespace svc::client
