#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>

#include "svc/common/json.h"
#include "svc/http/http.h"

#include "hub.h"

namespace svc::realtime {

/// One open window: its socket and its subscriptions. Lives on the io thread.
class Client final : public http::IWebSocketHandler,
                     public std::enable_shared_from_this<Client>,
                     public OpenPlace {
 public:
  explicit Client(std::shared_ptr<Hub> hub) : hub_(std::move(hub)) {}

  void onOpen(const http::WebSocketPtr& socket) override;
  void onText(std::string text) override;
  void onBinary(std::string bytes) override;
  void onClose(std::uint16_t code, const std::string& reason) override;

  [[nodiscard]] bool subscribedTo(const std::string& key) const { return targets_.contains(key); }
  void send(std::span<const Frame> frames);
  void close(std::uint16_t code, const std::string& reason);

 private:
  void subscribe(const common::Json& target);
  void unsubscribe(const common::Json& target);

  std::shared_ptr<Hub> hub_;
  http::WebSocketPtr socket_;
  std::set<std::string> targets_;
};

}  // namespace svc::realtime
