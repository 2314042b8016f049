#pragma once

#include <cstdint>
#include <string>

#include "svc/kernel/result.h"

namespace svc::serverlink {

/// Where a server is, from an address such as https://svc.example.com/base. A value.
struct ServerAddress {
  bool tls = false;
  std::string host;  ///< without brackets
  std::uint16_t port = 0;
  std::string base_path;  ///< empty, or with a slash in front and none at the end

  /// `invalid_argument` says what is wrong and shows a right one.
  [[nodiscard]] static Result<ServerAddress> parse(const std::string& text);

  /// As people write it; the port only where it is not the usual one.
  [[nodiscard]] std::string text() const;
  /// For the Host header.
  [[nodiscard]] std::string authority() const;
  /// On this machine, so that nobody else can listen in.
  [[nodiscard]] bool isLoopback() const;

  friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
};

}  // namespace svc::serverlink
