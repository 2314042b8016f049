#include "client.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "svc/common/limits/http.h"

#include "target.h"

namespace svc::realtime {
namespace {

constexpr std::uint16_t kPolicyViolation = 1008;

}  // namespace

void Client::onOpen(const http::WebSocketPtr& socket) {
  socket_ = socket;
  socket_->sendText(hub_->hello_);
  hub_->opened(*this);
}

void Client::onText(std::string text) {
  const auto message = common::Json::parse(text);
  if (!message || !message.value().isObject()) {
    close(kPolicyViolation, "a message must be a JSON object");
    return;
  }
  const auto& type = message.value()["type"].asString();
  if (type == "ping") {
    send({&hub_->pong_, 1});
  } else if (type == "subscribe") {
    subscribe(message.value()["target"]);
  } else if (type == "unsubscribe") {
    unsubscribe(message.value()["target"]);
  } else {
    close(kPolicyViolation, "unknown message type; expected subscribe, unsubscribe or ping");
  }
}

void Client::onBinary(std::string) { close(kPolicyViolation, "messages are text frames"); }

void Client::onClose(std::uint16_t, const std::string&) {
  socket_.reset();
  for (const auto& key : std::exchange(targets_, {})) {
    hub_->follow(key, false);
  }
  hub_->closed(*this);
}

void Client::send(std::span<const Frame> frames) {
  // Held, because a socket may call onClose from inside send or close.
  if (const auto socket = socket_) {
    socket->sendTexts(frames);
  }
}

void Client::close(std::uint16_t code, const std::string& reason) {
  if (const auto socket = socket_) {
    socket->close(code, std::string(http::cutUtf8(reason, http::kCloseReason)));
  }
}

void Client::subscribe(const common::Json& target) {
  auto key = targetKey(target);
  if (!key) {
    close(kPolicyViolation, key.error().message);
    return;
  }
  if (!targets_.contains(key.value()) && targets_.size() >= limits::kWsSubscriptions) {
    close(kPolicyViolation, fmt::format("{} subscriptions, the limit is {}", targets_.size() + 1,
                                        limits::kWsSubscriptions));
    return;
  }
  if (const auto added = targets_.insert(std::move(key).value()); added.second) {
    hub_->follow(*added.first, true);
  }
}

void Client::unsubscribe(const common::Json& target) {
  const auto key = targetKey(target);
  if (!key) {
    close(kPolicyViolation, key.error().message);
    return;
  }
  if (targets_.erase(key.value()) != 0) {
    hub_->follow(key.value(), false);
  }
}

}  // namespace svc::realtime
