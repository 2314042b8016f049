#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "svc/kernel/service_id.h"

namespace svc::http {

/// Of the server's own socket, since it started.
struct HttpStats {
  /// Answers by the first digit of their status, from 1; index 0 is 1xx.
  std::array<std::uint64_t, 5> answers{};
  std::uint64_t connections_accepted = 0;
  std::uint64_t connections_open = 0;
  std::uint64_t web_sockets_open = 0;
  /// Bodies of requests that are not answered yet.
  std::uint64_t body_bytes = 0;
  /// Requests that were refused because there was no room for their bodies.
  std::uint64_t bodies_refused = 0;
  /// Of plugins that have any.
  std::vector<std::pair<std::string, std::uint64_t>> plugin_body_bytes{};
};

/// Thread-safe and quick.
class IHttpStats {
 public:
  static constexpr ServiceId kId{"svc.http.Stats", 1};
  virtual ~IHttpStats() = default;
  [[nodiscard]] virtual HttpStats stats() const = 0;
};

}  // namespace svc::http
