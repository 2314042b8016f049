#pragma once

// WebSockets over real sockets, with Beast as the client.
#include <condition_variable>
#include <mutex>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>

#include "svc/common/limits/http.h"
#include "svc/http/web_socket_progress.h"

#include "server_fixture.h"

namespace svc::test {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;

/// Remembers what happened to one socket, for the test's thread to wait on.
class Recorder final : public http::IWebSocketHandler, public http::IWebSocketProgress {
 public:
  void onReceiving() override {
    update([&] { ++parts_; });
  }
  void onOpen(const http::WebSocketPtr& socket) override {
    update([&] { socket_ = socket; });
  }
  void onText(std::string text) override {
    socket_->sendText(std::make_shared<const std::string>(text));
    update([&] { texts_.push_back(text); });
  }
  void onBinary(std::string bytes) override {
    socket_->sendBinary(std::make_shared<const std::string>(std::move(bytes)));
  }
  void onClose(std::uint16_t code, const std::string&) override {
    update([&] { codes_.push_back(code); });
  }

  http::WebSocketPtr socket() {
    wait([&] { return socket_ != nullptr; });
    return socket_;
  }
  void forget() {
    wait([&] { return !codes_.empty(); });
    update([&] {
      socket_ = nullptr;
      codes_.clear();
    });
  }
  std::uint16_t closeCode() {
    wait([&] { return !codes_.empty(); });
    return codes_.front();
  }
  void awaitParts(std::size_t count) {
    wait([&] { return parts_ >= count; });
  }
  std::size_t partCount() {
    const std::scoped_lock lock(mutex_);
    return parts_;
  }
  std::size_t textCount() {
    const std::scoped_lock lock(mutex_);
    return texts_.size();
  }
  std::size_t closeCount() {
    const std::scoped_lock lock(mutex_);
    return codes_.size();
  }

 private:
  void update(const std::function<void()>& change) {
    const std::scoped_lock lock(mutex_);
    change();
    changed_.notify_all();
  }
  void wait(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    SVC_ASSERT(changed_.wait_for(lock, 10s, condition));
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  http::WebSocketPtr socket_;
  std::size_t parts_ = 0;
  std::vector<std::string> texts_;
  std::vector<std::uint16_t> codes_;
};

class Client {
 public:
  explicit Client(std::uint16_t port, int receive_buffer = 0) : stream_(context_) {
    auto& socket = stream_.next_layer();
    socket.open(asio::ip::tcp::v4());
    if (receive_buffer > 0) {
      socket.set_option(asio::socket_base::receive_buffer_size(receive_buffer));
    }
    socket.connect({asio::ip::make_address("127.0.0.1"), port});
    const timeval patience{.tv_sec = 10, .tv_usec = 0};
    ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    host_ = fmt::format("127.0.0.1:{}", port);
  }

  boost::system::error_code open(const std::string& path, std::string origin = {}) {
    stream_.set_option(
        websocket::stream_base::decorator([this, origin](websocket::request_type& request) {
          if (!origin.empty()) {
            request.set("origin", origin);
          }
          if (!protocols_.empty()) {
            request.set("sec-websocket-protocol", protocols_);
          }
        }));
    boost::system::error_code failure;
    stream_.handshake(response_, host_, path, failure);
    return failure;
  }
  void send(const std::string& text) {
    stream_.text(true);
    stream_.write(asio::buffer(text));
  }
  /// The next message, or "closed <code>", or "lost".
  std::string read() {
    boost::beast::flat_buffer buffer;
    boost::system::error_code failure;
    stream_.read(buffer, failure);
    if (failure == websocket::error::closed) {
      return fmt::format("closed {}", stream_.reason().code);
    }
    return failure ? "lost" : boost::beast::buffers_to_string(buffer.data());
  }

  asio::io_context context_;
  websocket::stream<asio::ip::tcp::socket> stream_;
  websocket::response_type response_;
  std::string host_;
  std::string protocols_;  ///< what the handshake offers
};

class WebSocketTest : public ServerFixture {
 protected:
  WebSocketTest() : WebSocketTest(10s) {}
  explicit WebSocketTest(std::chrono::milliseconds drain_grace)
      : ServerFixture({.tick = 1ms, .drain_grace = drain_grace}) {
    auto handle = server_.webSocket(
        {.pattern = "/api/v1/ws", .message_limit = 1000, .backlog_limit = 1'000'000},
        [this](const http::Request& request) -> Result<std::shared_ptr<http::IWebSocketHandler>> {
          if (request.queryParameter("refuse")) {
            return Error{errc::kUnauthorized, "not you"};
          }
          return std::shared_ptr<http::IWebSocketHandler>(recorder_);
        });
    SVC_ASSERT(handle.ok());
    handles_.push_back(std::move(handle).value());
  }

  [[nodiscard]] std::string upgrade(std::string_view path, std::string_view headers = "") const {
    return get(
        path,
        fmt::format("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{}",
                    headers));
  }

  /// What was posted to the io thread before has run.
  void turn() {
    std::promise<void> turned;
    reactor_.post([&] { turned.set_value(); });
    auto future = turned.get_future();
    await(future);
  }

  /// As much time as lies between two pings, and the tick that notices.
  void passPing() {
    clock_.advance(limits::kWsPing);
    std::promise<void> ticked;
    const auto timer = reactor_.after(20ms, [&] { ticked.set_value(); });
    auto future = ticked.get_future();
    await(future);
  }

  std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
};

class WebSocketCutTest : public WebSocketTest {
 protected:
  WebSocketCutTest() : WebSocketTest(1ms) {}
};

}  // namespace svc::test
