#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/http/http.h"
#include "svc/http/web_socket_progress.h"
#include "svc/machines/host_registry.h"

namespace svc::hosts {

class Sessions;

/// Plugins and the identities of their artifacts, as a daemon learned them when its session was opened.
using Announced = std::vector<std::pair<std::string, std::string>>;

/// One session of a daemon: opened over HTTP, carried by one WebSocket. Lives on the io thread.
class Session final : public http::IWebSocketHandler,
                      public http::IWebSocketProgress,
                      public std::enable_shared_from_this<Session> {
 public:
  struct Identity {
    std::uint64_t number = 0;  ///< unique in this process
    std::string id;            ///< random; what the daemon names
    std::string host_id;
    machines::SessionFacts facts;
    Announced announced;
  };

  Session(std::weak_ptr<Sessions> owner, Identity identity)
      : owner_(std::move(owner)), identity_(std::move(identity)) {}

  void onOpen(const http::WebSocketPtr& socket) override;
  void onText(std::string text) override;
  void onReceiving() override;
  void onBinary(std::string bytes) override;
  void onClose(std::uint16_t code, const std::string& reason) override;

  [[nodiscard]] std::uint64_t number() const { return identity_.number; }
  [[nodiscard]] const std::string& id() const { return identity_.id; }
  [[nodiscard]] const std::string& hostId() const { return identity_.host_id; }
  [[nodiscard]] const machines::SessionFacts& facts() const { return identity_.facts; }

  [[nodiscard]] const Announced& announced() const { return identity_.announced; }

  /// Its WebSocket is chosen; there is only one.
  [[nodiscard]] bool claimed() const { return claimed_; }
  void claim() { claimed_ = true; }
  /// Messages reach the daemon.
  [[nodiscard]] bool isOpen() const { return socket_ != nullptr && !ended_; }
  [[nodiscard]] bool ended() const { return ended_; }
  /// Dropped when it is not open.
  void send(std::string message);
  /// Takes no more messages. With a reason of session-close the daemon is told.
  void end(std::uint16_t code, const std::string& text, std::string_view reason = {});

  /// When the daemon was last heard of.
  [[nodiscard]] std::chrono::steady_clock::time_point heard() const { return heard_; }
  void setHeard(std::chrono::steady_clock::time_point at) { heard_ = at; }
  /// When it was last told so.
  [[nodiscard]] std::chrono::steady_clock::time_point acknowledged() const { return acknowledged_; }
  void setAcknowledged(std::chrono::steady_clock::time_point at) { acknowledged_ = at; }
  Handle lease;

 private:
  void refuse(const std::string& what);

  std::weak_ptr<Sessions> owner_;
  const Identity identity_;
  http::WebSocketPtr socket_;
  std::chrono::steady_clock::time_point heard_{};
  std::chrono::steady_clock::time_point acknowledged_{};
  bool claimed_ = false;
  bool ended_ = false;
};
using SessionPtr = std::shared_ptr<Session>;

}  // namespace svc::hosts
