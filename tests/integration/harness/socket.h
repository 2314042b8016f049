#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Poco/Net/HTTPClientSession.h>
#include <Poco/Net/WebSocket.h>

#include "svc/common/json.h"

namespace svc::test {

/// A client of /ws. Messages that arrive while nobody waits stay in the connection, in order.
class Socket {
 public:
  explicit Socket(std::uint16_t port, const std::string& path = "/ws");

  /// The next message for which `wanted` holds; others are dropped. nullopt when the deadline passes or the peer closes.
  [[nodiscard]] std::optional<common::Json> await(
      const std::function<bool(const common::Json&)>& wanted);
  /// The next signal of that plugin and channel: its payload.
  [[nodiscard]] std::optional<common::Json> awaitSignal(const std::string& plugin,
                                                        const std::string& channel);
  /// The next signal of that plugin and channel with this payload (as JSON text).
  [[nodiscard]] bool awaitSignal(const std::string& plugin, const std::string& channel,
                                 const std::string& payload);
  /// A plugins-changed message in which the plugin has this status.
  [[nodiscard]] bool awaitStatus(const std::string& plugin, const std::string& status);
  /// Reads until the peer closes; its close code, 0 when the connection just ended.
  [[nodiscard]] std::optional<std::uint16_t> awaitClose();

  void send(const std::string& text);

 private:
  /// The next text frame; nullopt at a close or the deadline.
  [[nodiscard]] std::optional<std::string> receive();

  Poco::Net::HTTPClientSession session_;
  std::unique_ptr<Poco::Net::WebSocket> socket_;
  std::optional<std::uint16_t> close_code_;
};

}  // namespace svc::test
