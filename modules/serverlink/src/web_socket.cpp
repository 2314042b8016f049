#include "web_socket.h"

#include <atomic>

#include <boost/asio/buffer.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostprotocol/protocol.h"

#include "connector.h"
#include "live_calls.h"
#include "message_queue.h"

namespace svc::serverlink {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;
using ErrorCode = boost::system::error_code;
/// Without the compression that this end does not offer.
using Stream = websocket::stream<NetStream, false>;
using IncomingBuffer =
    asio::dynamic_string_buffer<char, std::char_traits<char>, std::allocator<char>>;

constexpr auto kCloseGrace = std::chrono::seconds(2);
constexpr std::size_t kQueueLimit = 2 * limits::kIpcMessage;
/// Of answers, which many may ask for at a time.
constexpr std::size_t kHeldLimit = 8 * limits::kIpcMessage;
constexpr std::size_t kWriteBuffer = 64UL * 1024;
/// What is made room for at once, however long a message says it is.
constexpr std::size_t kReadStep = 64UL * 1024;

/// What other threads share with the connection; may outlive it and its thread.
struct Queues {
  MessageQueue outgoing{kQueueLimit, kHeldLimit};
  std::atomic<std::uint64_t> progress{0};
};

/// The connection. Lives on the context's thread, and as long as an operation of it is under way.
class Connection final : public ILiveCall, public std::enable_shared_from_this<Connection> {
 public:
  Connection(asio::io_context& context, IMainExecutor& main, Request request,
             std::weak_ptr<ISocketListener> listener, std::shared_ptr<Queues> queues)
      : context_(context),
        main_(main),
        request_(std::move(request)),
        listener_(std::move(listener)),
        queues_(std::move(queues)),
        timer_(context) {}

  void start();
  void write();
  void beginClose(std::uint16_t code, const std::string& reason);
  /// Unless it closes already.
  void drop();
  void abandon() override { end({0, "the connection was given up"}); }
  void end(const SocketEnd& how);

 private:
  void handshake(NetStream connected);
  void onHandshake(const ErrorCode& failure);
  void read();
  void onRead(const ErrorCode& failure);
  void deliver(std::string message);
  void writeOne();
  void onWritten(const ErrorCode& failure);
  void sendClose();

  asio::io_context& context_;
  IMainExecutor& main_;
  const Request request_;
  const std::weak_ptr<ISocketListener> listener_;
  const std::shared_ptr<Queues> queues_;
  asio::steady_timer timer_;
  std::shared_ptr<Connector> connector_;
  std::optional<Stream> stream_;
  websocket::response_type answer_;
  std::string incoming_;
  std::optional<IncomingBuffer> incoming_buffer_;
  std::vector<std::string> writing_;
  std::size_t written_ = 0;
  bool open_ = false;
  /// A message has begun to arrive in incoming_.
  bool receiving_ = false;
  bool reading_ = false;
  bool closing_ = false;
  bool close_sent_ = false;
  bool ended_ = false;
  websocket::close_reason close_reason_;
};

void Connection::start() {
  connector_ = std::make_shared<Connector>(context_, request_.endpoint);
  connector_->start([self = shared_from_this()](Result<NetStream> connected) {
    self->connector_.reset();
    if (connected) {
      self->handshake(std::move(connected).value());
    } else {
      self->end({0, connected.error().message});
    }
  });
}

void Connection::handshake(NetStream connected) {
  stream_.emplace(std::move(connected));
  stream_->read_message_max(limits::kIpcMessage);
  stream_->auto_fragment(false);
  stream_->write_buffer_bytes(kWriteBuffer);
  stream_->text(true);
  stream_->set_option(
      websocket::stream_base::decorator([bearer = request_.bearer](websocket::request_type& head) {
        head.set(http::field::authorization, "Bearer " + bearer);
        head.set(http::field::sec_websocket_protocol, std::string(hostprotocol::kSubprotocol));
      }));
  timer_.expires_after(limits::kSessionConnect);
  timer_.async_wait([self = shared_from_this()](const ErrorCode& failure) {
    if (!failure && !self->open_) {
      self->end({0, self->request_.endpoint.server.text() + " did not answer in time"});
    }
  });
  stream_->async_handshake(
      answer_, request_.endpoint.server.authority(),
      request_.endpoint.server.base_path + request_.path,
      [self = shared_from_this()](const ErrorCode& failure) { self->onHandshake(failure); });
}

void Connection::onHandshake(const ErrorCode& failure) {
  if (ended_) {
    return;
  }
  timer_.cancel();
  if (failure == websocket::error::upgrade_declined) {
    end({0, fmt::format("the server answered with status {}", answer_.result_int()),
         HttpAnswer{answer_.result_int(), answer_.body()}});
    return;
  }
  if (failure) {
    end({0, failure.message()});
    return;
  }
  const auto header = answer_[http::field::sec_websocket_protocol];
  const std::string subprotocol(header.data(), header.size());
  if (subprotocol != hostprotocol::kSubprotocol) {
    end({0, fmt::format("what answers at {} does not speak {} (subprotocol \"{}\")",
                        request_.endpoint.server.text(), hostprotocol::kSubprotocol, subprotocol)});
    return;
  }
  open_ = true;
  if (const auto listener = listener_.lock()) {
    listener->onOpened();
  }
  read();
  write();
}

void Connection::read() {
  if (reading_ || ended_) {
    return;
  }
  reading_ = true;
  if (!std::exchange(receiving_, true)) {
    incoming_buffer_.emplace(incoming_);
  }
  stream_->async_read_some(*incoming_buffer_, kReadStep,
                           [self = shared_from_this()](const ErrorCode& failure, std::size_t) {
                             self->onRead(failure);
                           });
}

void Connection::onRead(const ErrorCode& failure) {
  reading_ = false;
  if (ended_) {
    return;
  }
  if (failure == websocket::error::closed) {
    const auto& reason = stream_->reason();
    end({reason.code, {reason.reason.data(), reason.reason.size()}});
    return;
  }
  if (failure) {
    end({0, failure == websocket::error::message_too_big
                ? fmt::format("a message is larger than {} bytes", limits::kIpcMessage)
                : failure.message()});
    return;
  }
  if (!stream_->is_message_done()) {
    queues_->progress.fetch_add(1, std::memory_order_relaxed);
    read();
    return;
  }
  receiving_ = false;
  if (!stream_->got_text()) {
    incoming_.clear();
    beginClose(websocket::close_code::unknown_data, "messages are text");
    read();
    return;
  }
  deliver(std::exchange(incoming_, {}));
}

/// On the thread of the listener: while that has other things to do nothing is read, and the server waits.
void Connection::deliver(std::string message) {
  if (const auto listener = listener_.lock()) {
    listener->onMessage(std::move(message));
  }
  read();
}

void Connection::write() {
  if (!open_ || ended_ || close_sent_ || written_ < writing_.size()) {
    return;
  }
  writing_ = queues_->outgoing.take();
  written_ = 0;
  if (!writing_.empty()) {
    writeOne();
  } else if (closing_) {
    sendClose();
  }
}

void Connection::onWritten(const ErrorCode& failure) {
  if (ended_) {
    return;
  }
  if (failure) {
    end({0, failure.message()});
    return;
  }
  queues_->outgoing.release(writing_[written_].size());
  std::string().swap(writing_[written_]);
  if (++written_ == writing_.size()) {
    write();
    return;
  }
  writeOne();
}

void Connection::writeOne() {
  // Those that wait together leave together.
  stream_->next_layer().hold(written_ + 1 < writing_.size());
  stream_->async_write(asio::buffer(writing_[written_]),
                       [self = shared_from_this()](const ErrorCode& failure, std::size_t) {
                         self->onWritten(failure);
                       });
}

void Connection::beginClose(std::uint16_t code, const std::string& reason) {
  if (closing_ || ended_) {
    return;
  }
  closing_ = true;
  queues_->outgoing.shut();
  close_reason_ = websocket::close_reason(static_cast<websocket::close_code>(code), reason);
  if (!open_) {
    end({code, reason});
    return;
  }
  timer_.expires_after(kCloseGrace);
  timer_.async_wait([self = shared_from_this()](const ErrorCode& failure) {
    if (!failure) {
      self->end({0, "the server did not close its side in time"});
    }
  });
  write();
}

void Connection::sendClose() {
  close_sent_ = true;
  stream_->async_close(close_reason_, [self = shared_from_this()](const ErrorCode&) {
    self->end({self->close_reason_.code,
               {self->close_reason_.reason.data(), self->close_reason_.reason.size()}});
  });
}

void Connection::drop() {
  if (!closing_) {
    end({0, "the connection was given up"});
  }
}

void Connection::end(const SocketEnd& how) {
  if (std::exchange(ended_, true)) {
    return;
  }
  queues_->outgoing.shut();
  timer_.cancel();
  if (const auto connector = std::exchange(connector_, nullptr)) {
    connector->abort();
  }
  if (stream_) {
    stream_->next_layer().close();
  }
  // Posted, because the listener may be sending.
  main_.post([listener = listener_, how] {
    if (const auto strong = listener.lock()) {
      strong->onClosed(how);
    }
  });
}

/// What the session and senders hold.
class Socket final : public ISocket {
 public:
  Socket(std::shared_ptr<Door> door, std::weak_ptr<Connection> connection,
         std::shared_ptr<Queues> queues)
      : door_(std::move(door)), connection_(std::move(connection)), queues_(std::move(queues)) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() override {
    reach([](Connection& connection) { connection.drop(); });
  }

  void send(std::string message) override {
    bool first = false;
    if (queues_->outgoing.addIfRoom(std::move(message), first)) {
      if (first) {
        reach([](Connection& connection) { connection.write(); });
      }
    } else if (queues_->outgoing.shut()) {
      reach([](Connection& connection) {
        connection.end({0, fmt::format("the server is more than {} bytes behind", kQueueLimit)});
      });
    }
  }

  [[nodiscard]] bool sendWithRoom(std::string message) override {
    bool first = false;
    if (!queues_->outgoing.addOrHold(message, first)) {
      return queues_->outgoing.isShut();
    }
    if (first) {
      reach([](Connection& connection) { connection.write(); });
    }
    return true;
  }

  [[nodiscard]] std::size_t backlog() const override { return queues_->outgoing.bytes(); }
  [[nodiscard]] std::uint64_t progress() const override {
    return queues_->progress.load(std::memory_order_relaxed);
  }

  void close(std::uint16_t code, std::string reason) override {
    queues_->outgoing.shut();
    reach([code, reason = std::move(reason)](Connection& connection) {
      connection.beginClose(code, reason);
    });
  }

 private:
  template <class Act>
  void reach(Act act) {
    door_->post([weak = connection_, act = std::move(act)] {
      if (const auto connection = weak.lock()) {
        act(*connection);
      }
    });
  }

  std::shared_ptr<Door> door_;
  std::weak_ptr<Connection> connection_;
  std::shared_ptr<Queues> queues_;
};

}  // namespace

std::shared_ptr<ISocket> openWebSocket(asio::io_context& context, std::shared_ptr<Door> door,
                                       std::shared_ptr<LiveCalls> live, IMainExecutor& main,
                                       Request request, std::weak_ptr<ISocketListener> listener) {
  auto queues = std::make_shared<Queues>();
  auto connection =
      std::make_shared<Connection>(context, main, std::move(request), std::move(listener), queues);
  auto socket = std::make_shared<Socket>(door, connection, std::move(queues));
  door->post([connection = std::move(connection), live = std::move(live)] {
    if (live->add(connection)) {
      connection->start();
    }
  });
  return socket;
}

}  // namespace svc::serverlink
