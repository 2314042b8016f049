#pragma once

#include <array>
#include <cstdint>

#include "svc/kernel/service_id.h"

namespace svc::http {

/// Of the server's own socket, since it started.
struct HttpStats {
  /// Answers by the first digit of their status, from 1; index 0 is 1xx.
  std::array<std::uint64_t, 5> answers{};
  std::uint64_t connections_accepted = 0;
  std::uint64_t connections_open = 0;
  std::uint64_t web_sockets_open = 0;
};

/// Thread-safe and quick.
class IHttpStats {
 public:
  static constexpr ServiceId kId{"svc.http.Stats", 1};
  virtual ~IHttpStats() = default;
  [[nodiscard]] virtual HttpStats stats() const = 0;
};

}  // namespace svc::http
