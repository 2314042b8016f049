#include "web_socket_session.h"

#include <algorithm>
#include <iterator>
#include <list>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>

#include "svc/http/web_socket_progress.h"

#include "stream_socket.h"

namespace svc::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

using ErrorCode = boost::system::error_code;
using Text = std::shared_ptr<const std::string>;

constexpr std::uint16_t kNoStatus = 1005;
constexpr std::uint16_t kAbnormal = 1006;
constexpr std::uint16_t kTooBig = 1009;
constexpr std::uint16_t kTryAgainLater = 1013;
constexpr int kMissedPings = 2;
// How long the peer has for its part of the closing handshake.
constexpr auto kCloseGrace = std::chrono::seconds(5);
constexpr std::size_t kCompressFrom = 1024;
constexpr std::size_t kDiscard = 64UL * 1024;
// The first byte of a frame that is a whole message.
constexpr std::uint8_t kTextFrame = 0x81;
constexpr std::uint8_t kBinaryFrame = 0x82;
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

class Session final : public IWebSocketSession, public std::enable_shared_from_this<Session> {
 public:
  Session(Socket socket, std::shared_ptr<IWebSocketHandler> handler, WebSocketSettings settings,
          WebSocketContext& context)
      : stream_(std::move(socket)),
        handler_(std::move(handler)),
        progress_(std::dynamic_pointer_cast<IWebSocketProgress>(handler_)),
        settings_(std::move(settings)),
        reactor_(context.reactor),
        context_(context) {}

  void start(const Request& request) override;
  void tick(TimePoint now) override;
  void terminate() override;

  void sendText(Text text) override { send({std::move(text), kTextFrame}); }
  void sendTexts(std::span<const Text> texts) override;
  void sendBinary(Text bytes) override { send({std::move(bytes), kBinaryFrame}); }
  void close(std::uint16_t code, std::string reason) override {
    reactor_.post([self = weak_from_this(), code, reason = std::move(reason)] {
      if (const auto session = self.lock()) {
        session->beginClose(code, reason);
      }
    });
  }
  void setReading(bool on) override;

 private:
  enum class State : std::uint8_t { kOpening, kOpen, kClosing, kClosed };

  void configure(const Request& request);
  void onAccepted(const ErrorCode& failure);
  void read();
  void applyReading(bool on);
  void discardInput();
  void onRead(const ErrorCode& failure);
  void send(OutgoingFrame frame);
  /// False when it is dropped.
  bool enqueue(OutgoingFrame frame);
  void overflow();
  void writeSoon();
  void writeNext();
  [[nodiscard]] bool sendsDirectly() const;
  bool sendDirectly();
  void awaitRoom();
  void onRoom(const ErrorCode& failure);
  void fail();
  void onWritten(const ErrorCode& failure);
  void goOn(const ErrorCode& failure);
  void dropSent();
  void dropFirst();
  void beginClose(std::uint16_t code, const std::string& reason);
  void sendClose();
  void ping();
  void notifyClosed(std::uint16_t code, const std::string& reason);
  void leave();

  // Goes on the io thread when the connection ends; others may hold the session for longer.
  std::optional<websocket::stream<StreamSocket>> stream_;
  std::shared_ptr<IWebSocketHandler> handler_;
  /// The same object, when it wants to know; else null.
  std::weak_ptr<IWebSocketProgress> progress_;
  WebSocketSettings settings_;
  IReactor& reactor_;
  WebSocketContext& context_;

  State state_ = State::kOpening;
  std::string incoming_;
  std::optional<asio::dynamic_string_buffer<char, std::char_traits<char>, std::allocator<char>>>
      incoming_buffer_;
  std::list<OutgoingFrame> outgoing_;
  std::size_t backlog_ = 0;
  /// A message has begun to arrive in incoming_.
  bool receiving_ = false;
  bool reading_ = false;
  bool paused_ = false;
  bool writing_ = false;
  /// Of the first of outgoing_, past Beast.
  bool is_part_sent_ = false;
  /// writeNext() is posted.
  bool writes_soon_ = false;
  bool close_sent_ = false;
  bool overflowed_ = false;
  /// Of a close that has begun.
  std::unique_ptr<websocket::close_reason> close_reason_;
  TimePoint next_ping_{};
  TimePoint kill_at_ = TimePoint::max();
  int unanswered_pings_ = 0;
  bool pinging_ = false;
};

void Session::start(const Request& request) {
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

void Session::configure(const Request& request) {
  stream_->read_message_max(settings_.message_limit);
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

void Session::onAccepted(const ErrorCode& failure) {
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

void Session::setReading(bool on) {
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

void Session::applyReading(bool on) {
  paused_ = !on;
  if (on && state_ != State::kOpening) {
    read();
  }
}

void Session::read() {
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

void Session::onRead(const ErrorCode& failure) {
  reading_ = false;
  if (state_ == State::kClosed) {
    return;
  }
  if (failure) {
    const auto& reason = stream_->reason();
    if (failure == websocket::error::closed) {
      notifyClosed(reason.code == 0 ? kNoStatus : reason.code,
                   {reason.reason.data(), reason.reason.size()});
    } else if (failure == websocket::error::message_too_big) {
      notifyClosed(kTooBig,
                   fmt::format("a message is larger than {} bytes", settings_.message_limit));
      discardInput();
      return;
    } else {
      notifyClosed(kAbnormal, failure.message());
    }
    leave();
    return;
  }
  // Who sends is there, even when its pongs wait behind a long message.
  unanswered_pings_ = 0;
  if (!stream_->is_message_done()) {
    if (const auto progress = progress_.lock(); progress && state_ == State::kOpen) {
      progress->onReceiving();
    }
    read();
    return;
  }
  receiving_ = false;
  auto message = std::exchange(incoming_, {});
  if (state_ == State::kOpen) {
    if (stream_->got_text()) {
      handler_->onText(std::move(message));
    } else {
      handler_->onBinary(std::move(message));
    }
  }
  read();
}

/// The close frame is out, and the client is in the middle of its message: what it still sends is read, because closing
/// with input unread would reset the connection and could take the close frame along.
void Session::discardInput() {
  if (state_ == State::kClosed) {
    return;
  }
  if (!close_sent_) {
    close_sent_ = true;
    reading_ = true;
    kill_at_ = context_.now + kCloseGrace;
    incoming_.resize(kDiscard);
  }
  beast::get_lowest_layer(*stream_).async_read_some(
      asio::buffer(incoming_), [self = shared_from_this()](const ErrorCode& failure, std::size_t) {
        if (failure) {
          self->leave();
        } else {
          self->discardInput();
        }
      });
}

void Session::send(OutgoingFrame frame) {
  if (reactor_.isCurrent()) {
    if (enqueue(std::move(frame))) {
      writeSoon();
    }
    return;
  }
  reactor_.post([self = weak_from_this(), frame = std::move(frame)] {
    if (const auto session = self.lock(); session && session->enqueue(frame)) {
      session->writeSoon();
    }
  });
}

/// At the end of this turn, because messages of one turn are cheaper together.
void Session::writeSoon() {
  if (!std::exchange(writes_soon_, true)) {
    reactor_.post([self = weak_from_this()] {
      if (const auto session = self.lock()) {
        session->writes_soon_ = false;
        session->writeNext();
      }
    });
  }
}

void Session::sendTexts(std::span<const Text> texts) {
  if (!reactor_.isCurrent()) {
    IWebSocket::sendTexts(texts);
    return;
  }
  for (const auto& text : texts) {
    if (!enqueue({text, kTextFrame})) {
      return;
    }
  }
  writeNext();
}

bool Session::enqueue(OutgoingFrame frame) {
  if (state_ == State::kClosing || state_ == State::kClosed || overflowed_) {
    return false;
  }
  // What the kernel takes does not count as the client's backlog.
  if (outgoing_.size() >= StreamSocket::kGathered ||
      backlog_ + frame.payload->size() > StreamSocket::kGatheredBytes) {
    writeNext();
  }
  dropSent();
  // A single message may be larger than the backlog: it is behind only when others wait before it.
  const bool waits = backlog_ > 0;
  backlog_ += frame.payload->size();
  if (waits && backlog_ > settings_.backlog_limit) {
    overflow();
    return false;
  }
  outgoing_.push_back(std::move(frame));
  return true;
}

// Posted, because the handler may be sending from inside its own callback.
void Session::overflow() {
  overflowed_ = true;
  close(kTryAgainLater, fmt::format("the client is more than {} bytes behind ({} bytes)",
                                    settings_.backlog_limit, backlog_));
}

void Session::writeNext() {
  if (writing_ || state_ == State::kOpening || state_ == State::kClosed) {
    return;
  }
  while (!outgoing_.empty() && sendsDirectly()) {
    if (!sendDirectly()) {
      return;
    }
  }
  if (outgoing_.empty()) {
    if (state_ == State::kClosing) {
      sendClose();
    }
    return;
  }
  writing_ = true;
  const auto& frame = outgoing_.front();
  stream_->binary(frame.first_byte == kBinaryFrame);
  stream_->async_write(asio::buffer(*frame.payload),
                       [self = shared_from_this()](const ErrorCode& failure, std::size_t) {
                         self->onWritten(failure);
                       });
}

/// A message needs nothing of Beast, and none of its frames is half sent. After a close frame Beast refuses messages.
bool Session::sendsDirectly() const {
  return !settings_.compress && stream_->is_open() && stream_->next_layer().isFree();
}

/// Sends what waits; false when the rest has to wait on.
bool Session::sendDirectly() {
  const auto sent = stream_->next_layer().send(outgoing_);
  for (std::size_t gone = 0; gone < sent.count; ++gone) {
    dropFirst();
  }
  switch (sent.state) {
    case Sent::kAll:
      return true;
    case Sent::kPart:
      awaitRoom();
      return false;
    case Sent::kFailed:
      fail();
      return false;
  }
  return false;
}

void Session::awaitRoom() {
  writing_ = true;
  is_part_sent_ = true;
  stream_->next_layer().async_wait(
      Socket::wait_write,
      [self = shared_from_this()](const ErrorCode& failure) { self->onRoom(failure); });
}

void Session::onRoom(const ErrorCode& failure) {
  if (failure || state_ == State::kClosed) {
    goOn(failure);
    return;
  }
  switch (stream_->next_layer().sendRest()) {
    case Sent::kAll:
      dropSent();
      goOn({});
      return;
    case Sent::kPart:
      awaitRoom();
      return;
    case Sent::kFailed:
      fail();
      return;
  }
}

// Posted, because the handler may be sending from inside its own callback.
void Session::fail() {
  writing_ = true;
  reactor_.post([self = weak_from_this()] {
    if (const auto session = self.lock()) {
      session->terminate();
    }
  });
}

/// The rest of a message may have gone before an answer of Beast, sooner than this session hears that there was room.
void Session::dropSent() {
  if (is_part_sent_ && !stream_->next_layer().hasRest()) {
    is_part_sent_ = false;
    dropFirst();
  }
}

void Session::dropFirst() {
  backlog_ -= std::min(backlog_, outgoing_.front().payload->size());
  outgoing_.pop_front();
}

void Session::onWritten(const ErrorCode& failure) {
  if (!outgoing_.empty()) {
    dropFirst();
  }
  goOn(failure);
}

void Session::goOn(const ErrorCode& failure) {
  writing_ = false;
  if (state_ == State::kClosed) {
    return;
  }
  if (failure) {
    terminate();
    return;
  }
  writeNext();
}

/// Sends what is queued, then the close frame; a client that is too far behind gets the close frame next.
void Session::beginClose(std::uint16_t code, const std::string& reason) {
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

void Session::sendClose() {
  // Without a reason it is not the service that closes.
  if (close_sent_ || !close_reason_) {
    return;
  }
  close_sent_ = true;
  stream_->async_close(*close_reason_,
                       [self = shared_from_this()](const ErrorCode&) { self->leave(); });
}

void Session::tick(TimePoint now) {
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

void Session::ping() {
  if (pinging_) {
    return;  // the previous one is stuck behind unsent data and counts as missed
  }
  pinging_ = true;
  stream_->async_ping({},
                      [self = shared_from_this()](const ErrorCode&) { self->pinging_ = false; });
}

void Session::terminate() {
  if (state_ == State::kClosed) {
    return;
  }
  notifyClosed(kAbnormal, "the connection was lost");
  leave();
}

void Session::notifyClosed(std::uint16_t code, const std::string& reason) {
  if (const auto handler = std::exchange(handler_, nullptr)) {
    if (state_ == State::kOpen) {
      state_ = State::kClosing;
    }
    handler->onClose(code, reason);
  }
}

void Session::leave() {
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

}  // namespace

std::shared_ptr<IWebSocketSession> makeWebSocketSession(Socket socket,
                                                        std::shared_ptr<IWebSocketHandler> handler,
                                                        WebSocketSettings settings,
                                                        WebSocketContext& context) {
  return std::make_shared<Session>(std::move(socket), std::move(handler), std::move(settings),
                                   context);
}

}  // namespace svc::http
