#include "plugin_socket.h"

#include <utility>

#include "svc/common/json.h"
#include "svc/common/limits/http.h"

namespace svc::routes {
namespace {

constexpr std::uint16_t kServerError = 1011;

}  // namespace

void PluginSocket::onOpen(const http::WebSocketPtr& socket) {
  {
    const std::scoped_lock lock(mutex_);
    socket_ = socket;
  }
  if (!target_.load->sockets.add(target_.id, shared_from_this())) {
    socket->close(kServiceRestart, std::string(kGoneReason));
  } else if (handlers_ == Handlers::kFailed) {
    socket->close(kServerError, "the plugin failed to accept the connection");
  } else {
    call({.function = "http.open", .meta = target_.id, .body = {}}, {});
  }
}

void PluginSocket::onText(std::string text) { deliver("http.text", std::move(text), false); }

void PluginSocket::onBinary(std::string bytes) { deliver("http.binary", std::move(bytes), true); }

void PluginSocket::deliver(std::string function, std::string message, bool binary) {
  const auto size = message.size();
  http::WebSocketPtr hold;
  {
    const std::scoped_lock lock(mutex_);
    ++waiting_messages_;
    waiting_bytes_ += size;
    if (!held_back_ &&
        (waiting_messages_ >= kWaitingMessages || waiting_bytes_ >= limits::kWsBacklog)) {
      held_back_ = true;
      hold = socket_;
    }
  }
  if (hold) {
    hold->setReading(false);
  }
  call({.function = std::move(function),
        .meta = target_.id,
        .body = std::move(message),
        .binary = binary},
       [weak = weak_from_this(), size](const Result<std::string>&) {
         if (const auto self = weak.lock()) {
           self->taken(size);
         }
       });
}

void PluginSocket::taken(std::size_t bytes) {
  http::WebSocketPtr go_on;
  {
    const std::scoped_lock lock(mutex_);
    --waiting_messages_;
    waiting_bytes_ -= bytes;
    if (held_back_ && waiting_messages_ <= kWaitingMessages / 2 &&
        waiting_bytes_ <= limits::kWsBacklog / 2) {
      held_back_ = false;
      go_on = socket_;
    }
  }
  if (go_on) {
    go_on->setReading(true);
  }
}

void PluginSocket::onClose(std::uint16_t code, const std::string& reason) {
  {
    const std::scoped_lock lock(mutex_);
    socket_.reset();
  }
  if (handlers_ == Handlers::kReady) {
    auto meta = common::Json::object();
    meta.set("id", target_.id).set("code", static_cast<int>(code)).set("reason", reason);
    call({.function = "http.closed", .meta = meta.dump(), .body = {}}, {});
  }
  // After the call: disposal waits for the table to empty, then for the calls.
  target_.load->sockets.remove(target_.id);
}

void PluginSocket::call(script::Invocation invocation, Completion<std::string> done) {
  if (const auto generation = target_.load->generation.lock()) {
    generation->invoke(target_.source, std::move(invocation), std::move(done));
  }
}

http::WebSocketPtr PluginSocket::socket() const {
  const std::scoped_lock lock(mutex_);
  return socket_;
}

void PluginSocket::sendText(std::string text) {
  if (const auto open = socket()) {
    open->sendText(std::make_shared<const std::string>(std::move(text)));
  }
}

void PluginSocket::sendBinary(std::string bytes) {
  if (const auto open = socket()) {
    open->sendBinary(std::make_shared<const std::string>(std::move(bytes)));
  }
}

void PluginSocket::close(std::uint16_t code, std::string_view reason) {
  if (const auto open = socket()) {
    open->close(code, std::string(reason));
  }
}

}  // namespace svc::routes
