#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "svc/kernel/result.h"

#include "wire/http_connection.h"

namespace svc::client {

/// The client's end of a WebSocket, for who waits with poll() for other things too. One thread.
class WebSocket {
 public:
  struct Settings {
    std::string target;     ///< behind the path of the address
    HttpHeaders headers{};  ///< beside those of the handshake
    std::size_t message_bytes;
    /// Bounds the connection, the handshake and what is sent.
    std::chrono::milliseconds patience;
  };

  /// Errors name the server: `unavailable`, `timeout`.
  [[nodiscard]] static Result<std::unique_ptr<WebSocket>> open(const HttpAddress& address,
                                                               const Settings& settings);
  virtual ~WebSocket() = default;

  /// Errors: `timeout`, `aborted`.
  [[nodiscard]] virtual Status send(std::string_view text) = 0;
  /// The next message, if it comes in that time; pings are answered meanwhile. `aborted` when the connection has ended.
  [[nodiscard]] virtual Result<std::optional<std::string>> receive(
      std::chrono::milliseconds patience) = 0;
  /// Readable when more has come. Only after receive() had nothing: it may hold messages that have come already.
  [[nodiscard]] virtual int descriptor() = 0;
};

}  // namespace svc::client
