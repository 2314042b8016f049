#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/websocket.hpp>

#include "svc/http/web_socket_progress.h"

#include "stream_socket.h"
#include "web_socket_session.h"

namespace svc::http {

/// A session over Beast; messages are sent past it where that is cheaper (stream_socket.h). Io thread, but for what an IWebSocket takes
/// from any.
class BeastSession final : public IWebSocketSession,
                           public std::enable_shared_from_this<BeastSession> {
 public:
  using Text = std::shared_ptr<const std::string>;

  BeastSession(Socket socket, std::shared_ptr<IWebSocketHandler> handler,
               WebSocketSettings settings, WebSocketContext& context)
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
  using ErrorCode = boost::system::error_code;
  enum class State : std::uint8_t { kOpening, kOpen, kClosing, kClosed };

  void configure(const Request& request);
  void onAccepted(const ErrorCode& failure);
  void read();
  void applyReading(bool on);
  void onRead(const ErrorCode& failure);
  void deliver(std::string message);
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
  std::optional<boost::beast::websocket::stream<StreamSocket>> stream_;
  std::shared_ptr<IWebSocketHandler> handler_;
  /// The same object, when it wants to know; else null.
  std::weak_ptr<IWebSocketProgress> progress_;
  WebSocketSettings settings_;
  IReactor& reactor_;
  WebSocketContext& context_;

  State state_ = State::kOpening;
  std::string incoming_;
  std::optional<
      boost::asio::dynamic_string_buffer<char, std::char_traits<char>, std::allocator<char>>>
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
  std::unique_ptr<boost::beast::websocket::close_reason> close_reason_;
  TimePoint next_ping_{};
  TimePoint kill_at_ = TimePoint::max();
  int unanswered_pings_ = 0;
  bool pinging_ = false;
};

}  // namespace svc::http
