#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "svc/kernel/completion.h"
#include "svc/kernel/error.h"
#include "svc/serverlink/server_link.h"

#include "proxy.h"
#include "server_address.h"
#include "server_owner.h"

namespace svc::serverlink {

/// The server's certificate is not accepted. Details: { "fingerprint": SHA-256 in hex, "selfSigned": boolean }.
inline constexpr Errc kUntrustedCertificate{"untrusted_certificate"};

/// Of answers that mean something here.
namespace status {
inline constexpr unsigned kCreated = 201;
inline constexpr unsigned kUnauthorized = 401;
inline constexpr unsigned kForbidden = 403;
}  // namespace status

struct Endpoint {
  ServerAddress server;
  /// SHA-256 (lower-case hex) of the only certificate that is accepted; empty = those the system trusts for the host.
  std::string certificate{};
  /// Asked before anything is sent on a connection that stays on this machine; nullptr = whoever answers is the server.
  std::shared_ptr<ServerOwner> owner{};
  /// Filled in by the network.
  std::optional<Proxy> proxy{};
};

/// One request below the server's base path.
struct Request {
  Endpoint endpoint;
  std::string path;
  std::string bearer;
};

/// How a WebSocket ended, or why there is none.
struct SocketEnd {
  std::uint16_t code = 0;  ///< of the close frame; 0 = the connection was lost or never made
  std::string reason;
  std::optional<HttpAnswer> refusal{};  ///< the answer to the handshake when it is not a WebSocket
};

/// Hears of one WebSocket, on the main thread.
class ISocketListener {
 public:
  virtual ~ISocketListener() = default;
  virtual void onOpened() = 0;
  virtual void onMessage(std::string text) = 0;
  /// Once, and the last call.
  virtual void onClosed(const SocketEnd& end) = 0;
};

/// One WebSocket. Thread-safe. Letting it go drops the connection, unless close() was called.
class ISocket {
 public:
  virtual ~ISocket() = default;
  /// Sends one text message; nothing once close() was called. A peer that takes nothing for so long that more than 2 × L:ipc
  /// wait is given up: the connection ends.
  virtual void send(std::string message) = 0;
  /// The same of a message that may wait for those before it, and be overtaken meanwhile. False when 8 × L:ipc wait already:
  /// nothing of it is sent, and the connection stays.
  [[nodiscard]] virtual bool sendWithRoom(std::string message) {
    send(std::move(message));
    return true;
  }
  /// Bytes that were not handed to the network yet.
  [[nodiscard]] virtual std::size_t backlog() const { return 0; }
  /// Another value whenever a part of a message that is still on its way has arrived.
  [[nodiscard]] virtual std::uint64_t progress() const { return 0; }
  /// Sends what waits, then a close frame; the connection ends at the latest after 2 s. onClosed() follows.
  virtual void close(std::uint16_t code, std::string reason) = 0;
};

/// The network. Called on the main thread, post() and download() on any; answers on the main thread.
class ITransport {
 public:
  virtual ~ITransport() = default;
  /// POST of JSON. Any answer is a success; `host_unavailable`, `timeout`, kUntrustedCertificate or kForeignServer when there is none.
  virtual void post(Request request, std::string body, Completion<HttpAnswer> done) = 0;
  /// A WebSocket with the session's subprotocol. The listener hears nothing more when it is gone.
  [[nodiscard]] virtual std::shared_ptr<ISocket> open(Request request,
                                                      std::weak_ptr<ISocketListener> listener) = 0;
  /// See IServerLink::download().
  virtual void download(Request request, std::filesystem::path file, std::uint64_t limit,
                        Completion<Download> done) = 0;
};

}  // namespace svc::serverlink
