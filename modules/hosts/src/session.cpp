#include "session.h"

#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/hostprotocol/protocol.h"

#include "daemon_message.h"
#include "sessions.h"

namespace svc::hosts {
namespace {

constexpr std::uint16_t kPolicyViolation = 1008;

}  // namespace

void Session::onOpen(const http::WebSocketPtr& socket) {
  const auto owner = owner_.lock();
  if (!owner || ended_) {
    socket->close(kPolicyViolation, "inactive-session");
    return;
  }
  socket_ = socket;
  owner->opened(*this);
}

void Session::onText(std::string text) {
  const auto owner = owner_.lock();
  if (!owner) {
    return;
  }
  if (ended_) {
    // What the daemon sent before it read that the session is over.
    end(kPolicyViolation, "inactive-session");
    return;
  }
  owner->heard(*this);
  const auto message = parseDaemonMessage(text);
  if (message) {
    owner->received(*this, message.value());
  } else {
    refuse(message.error().message);
  }
}

void Session::onReceiving() {
  if (const auto owner = owner_.lock(); owner && !ended_) {
    owner->receiving(*this);
  }
}

void Session::onBinary(std::string) { refuse("it is binary"); }

void Session::refuse(const std::string& what) {
  const auto keep = shared_from_this();
  if (const auto owner = owner_.lock()) {
    owner->broken(*this, what);
  }
  end(kPolicyViolation, "invalid-message");
}

void Session::onClose(std::uint16_t code, const std::string& reason) {
  socket_.reset();
  if (const auto owner = owner_.lock(); owner && !ended_) {
    owner->lost(*this, reason.empty() ? fmt::format("code {}", code)
                                      : fmt::format("code {}, {}", code, reason));
  }
}

void Session::send(std::string message) {
  if (isOpen()) {
    socket_->sendText(std::make_shared<const std::string>(std::move(message)));
  }
}

void Session::end(std::uint16_t code, const std::string& text, std::string_view reason) {
  ended_ = true;
  lease.reset();
  if (const auto socket = std::exchange(socket_, nullptr)) {
    if (!reason.empty()) {
      socket->sendText(std::make_shared<const std::string>(
          common::Json::object()
              .set("type", hostprotocol::to_daemon::kSessionClose)
              .set("reason", reason)
              .dump()));
    }
    socket->close(code, text);
  }
}

}  // namespace svc::hosts
