#pragma once

#include <memory>

#include "server_context.h"

namespace svc::http {

/// One WebSocket as the server manages it. Lives on the io thread.
class IWebSocketSession : public IWebSocket {
 public:
  /// Answers the handshake and begins to read.
  virtual void start(const Request& request) = 0;
  /// Sends pings and enforces deadlines.
  virtual void tick(TimePoint now) = 0;
  /// Drops the TCP connection.
  virtual void terminate() = 0;
};

struct WebSocketSettings {
  std::size_t message_limit = 0;
  std::size_t backlog_limit = 0;
  /// Offers permessage-deflate. Off for clients on this machine, where compressing costs more than it saves.
  bool compress = false;
  /// Named in the answer to a client that offers it; empty = the first one that the client offers.
  std::string subprotocol{};
};

/// What sessions need of the server. Outlives them.
struct WebSocketContext {
  IReactor& reactor;
  const TimePoint& now;
  std::function<void(IWebSocketSession&)> remove;
};

[[nodiscard]] std::shared_ptr<IWebSocketSession> makeWebSocketSession(
    Socket socket, std::shared_ptr<IWebSocketHandler> handler, WebSocketSettings settings,
    WebSocketContext& context);

}  // namespace svc::http
