#include "beast_session.h"

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>

#include "svc/common/limits/http.h"
#include "svc/http/web_socket_progress.h"

#include "stream_socket.h"

namespace svc::http {
namespace {

namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

constexpr std::uint16_t kNoStatus = 1005;
constexpr std::uint16_t kAbnormal = 1006;
constexpr std::uint16_t kTooBig = 1009;
constexpr int kMissedPings = 2;
// How long the peer has for its part of the closing handshake.
constexpr auto kCloseGrace = std::chrono::seconds(5);
constexpr std::size_t kCompressFrom = 1024;
// What is made room for at once, however long the message says it is.
constexpr std::size_t kReadStep = 64UL * 1024;
// For the begin of a message, which an idle connection keeps room for as long as it is open.
constexpr std::size_t kFirstRead = 128;

/// What the answer names of the subprotocols that `request` offers. A browser closes a socket when all of its offers are passed over,
/// so an endpoint without one of its own goes along with the first.
std::string chosenSubprotocol(const Request& request, const std::string& own) {
  if (!own.empty()) {
    return request.offersSubprotocol(own) ? own : std::string();
  }
  const auto* offered = request.header("sec-websocket-protocol");
  const auto text = offered == nullptr ? beast::string_view() : beast::string_view(*offered);
  const beast::http::token_list names(text);
  const auto first = names.begin();
  return first != names.end() ? std::string(*first) : std::string();
}

}  // namespace

void BeastSession::start(const Request& request) {
  configure(request);
  beast::http::request<beast::http::empty_body> handshake(beast::http::verb::get, request.target,
                                                          11);
  for (const auto& header : request.headers) {
    handshake.insert(header.name, header.value);
  }
  kill_at_ = context_.now + limits::kReadStall;
  stream_->async_accept(handshake, [self = shared_from_this()](const ErrorCode& failure) {
    self->onAccepted(failure);
  });
}

void BeastSession::configure(const Request& request) {
  // Beast would close without a reason: onRead() has the limit.
  stream_->read_message_max(0);
  stream_->auto_fragment(false);
  if (settings_.compress) {
    websocket::permessage_deflate deflate;
    deflate.server_enable = true;
    deflate.server_max_window_bits = 12;
    deflate.client_max_window_bits = 12;
    deflate.compLevel = 3;
    // Newer Beast can leave short messages alone.
    const auto set_threshold = [](auto& options) {
      if constexpr (requires { options.msg_size_threshold; }) {
        options.msg_size_threshold = kCompressFrom;
      }
    };
    set_threshold(deflate);
    stream_->set_option(deflate);
  }
  stream_->set_option(websocket::stream_base::decorator(
      [id = request.request_id, protocol = chosenSubprotocol(request, settings_.subprotocol)](
          websocket::response_type& response) {
        // Beast puts its own name where there is none.
        response.set(beast::http::field::server, "svcd");
        response.set("x-request-id", id);
        if (!protocol.empty()) {
          response.set(beast::http::field::sec_websocket_protocol, protocol);
        }
      }));
  stream_->control_callback([this](websocket::frame_type kind, beast::string_view) {
    if (kind == websocket::frame_type::pong) {
      unanswered_pings_ = 0;
    }
  });
}

void BeastSession::onAccepted(const ErrorCode& failure) {
  if (state_ == State::kClosed) {
    return;
  }
  if (failure) {
    terminate();
    return;
  }
  // What the handshake needed is not kept for as long as the connection lasts.
  stream_->set_option(websocket::stream_base::decorator([](websocket::response_type&) {}));
  next_ping_ = context_.now + limits::kWsPing;
  if (state_ == State::kOpening) {
    state_ = State::kOpen;
    kill_at_ = TimePoint::max();
    handler_->onOpen(shared_from_this());
  }
  read();
  writeNext();
}

void BeastSession::setReading(bool on) {
  if (reactor_.isCurrent()) {
    applyReading(on);
    return;
  }
  reactor_.post([self = weak_from_this(), on] {
    if (const auto session = self.lock()) {
      session->applyReading(on);
    }
  });
}

void BeastSession::applyReading(bool on) {
  paused_ = !on;
  if (on && state_ != State::kOpening) {
    read();
  }
}

void BeastSession::read() {
  // While the service closes, reading goes on: it waits for the close frame of the peer.
  if (reading_ || state_ == State::kClosed || (paused_ && state_ == State::kOpen)) {
    return;
  }
  reading_ = true;
  const bool begins = !std::exchange(receiving_, true);
  if (begins) {
    incoming_buffer_.emplace(incoming_);
  }
  stream_->async_read_some(*incoming_buffer_, begins ? kFirstRead : kReadStep,
                           [self = shared_from_this()](const ErrorCode& failure, std::size_t) {
                             self->onRead(failure);
                           });
}

void BeastSession::onRead(const ErrorCode& failure) {
  reading_ = false;
  if (state_ == State::kClosed) {
    return;
  }
  if (failure) {
    const auto& reason = stream_->reason();
    if (failure == websocket::error::closed) {
      notifyClosed(reason.code == 0 ? kNoStatus : reason.code,
                   {reason.reason.data(), reason.reason.size()});
    } else {
      notifyClosed(kAbnormal, failure.message());
    }
    leave();
    return;
  }
  // Who sends is there, even when its pongs wait behind a long message.
  unanswered_pings_ = 0;
  receiving_ = !stream_->is_message_done();
  const auto bytes = incoming_.size();
  const bool is_too_large = state_ == State::kOpen && bytes > settings_.message_limit;
  if (receiving_ && (is_too_large || state_ != State::kOpen)) {
    // Nobody wants it. What the client still sends is read all the same: closing with input unread would reset the connection
    // and could take the close frame along.
    incoming_buffer_->consume(bytes);
  }
  if (is_too_large) {
    beginClose(kTooBig, fmt::format("a message is larger than {} bytes (at least {} bytes)",
                                    settings_.message_limit, bytes));
  } else if (receiving_) {
    if (const auto progress = progress_.lock(); progress && state_ == State::kOpen) {
      progress->onReceiving();
    }
  } else {
    deliver(std::exchange(incoming_, {}));
  }
  read();
}

void BeastSession::deliver(std::string message) {
  if (state_ == State::kOpen) {
    if (stream_->got_text()) {
      handler_->onText(std::move(message));
    } else {
      handler_->onBinary(std::move(message));
    }
  }
}

/// Sends what is queued, then the close frame; a client that is too far behind gets the close frame next.
void BeastSession::beginClose(std::uint16_t code, const std::string& reason) {
  if (state_ == State::kClosing || state_ == State::kClosed) {
    return;
  }
  const bool handshaking = state_ == State::kOpening;
  state_ = State::kClosing;
  kill_at_ = context_.now + kCloseGrace;
  const auto shown = cutUtf8(reason, kCloseReason);
  close_reason_ = std::make_unique<websocket::close_reason>(
      static_cast<websocket::close_code>(code), beast::string_view(shown.data(), shown.size()));
  if (overflowed_ && outgoing_.size() > 1) {
    outgoing_.erase(std::next(outgoing_.begin(), writing_ ? 1 : 0), outgoing_.end());
  }
  notifyClosed(code, reason);
  if (!handshaking) {
    read();
    writeNext();
  }
}

void BeastSession::sendClose() {
  // Without a reason it is not the service that closes.
  if (close_sent_ || !close_reason_) {
    return;
  }
  close_sent_ = true;
  stream_->async_close(*close_reason_,
                       [self = shared_from_this()](const ErrorCode&) { self->leave(); });
}

void BeastSession::tick(TimePoint now) {
  if (now >= kill_at_) {
    terminate();
    return;
  }
  if (state_ != State::kOpen || now < next_ping_) {
    return;
  }
  // The answers of a client that is not read from wait unread.
  if (unanswered_pings_ >= kMissedPings && !paused_) {
    terminate();
    return;
  }
  ++unanswered_pings_;
  next_ping_ = now + limits::kWsPing;
  ping();
}

void BeastSession::ping() {
  if (pinging_) {
    return;  // the previous one is stuck behind unsent data and counts as missed
  }
  pinging_ = true;
  stream_->async_ping({},
                      [self = shared_from_this()](const ErrorCode&) { self->pinging_ = false; });
}

void BeastSession::terminate() {
  if (state_ == State::kClosed) {
    return;
  }
  notifyClosed(kAbnormal, "the connection was lost");
  leave();
}

void BeastSession::notifyClosed(std::uint16_t code, const std::string& reason) {
  if (const auto handler = std::exchange(handler_, nullptr)) {
    if (state_ == State::kOpen) {
      state_ = State::kClosing;
    }
    handler->onClose(code, reason);
  }
}

void BeastSession::leave() {
  if (state_ == State::kClosed) {
    return;
  }
  const auto self = shared_from_this();
  state_ = State::kClosed;
  ErrorCode ignored;
  beast::get_lowest_layer(*stream_).close(ignored);
  context_.remove(*this);
  reactor_.post([self] { self->stream_.reset(); });
}

std::shared_ptr<IWebSocketSession> makeWebSocketSession(Socket socket,
                                                        std::shared_ptr<IWebSocketHandler> handler,
                                                        WebSocketSettings settings,
                                                        WebSocketContext& context) {
  return std::make_shared<BeastSession>(std::move(socket), std::move(handler), std::move(settings),
                                        context);
}

}  // namespace svc::http
