#include "wire/web_socket.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/buffers_to_string.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <fmt/format.h>

#include "wire/socket.h"

namespace svc::client {
namespace {

namespace asio = boost::asio;
namespace websocket = boost::beast::websocket;
using boost::beast::error_code;
using std::chrono::milliseconds;

/// A read is always under way, so that what has come is in `message_` and not in a buffer where poll() does not see it.
class BeastWebSocket final : public WebSocket {
 public:
  BeastWebSocket(base::Fd socket, const Settings& settings)
      : patience_(settings.patience), stream_(context_) {
    // The family is what asio goes by for names of ends alone, which nobody asks for.
    stream_.next_layer().assign(asio::ip::tcp::v4(), socket.release());
    stream_.read_message_max(settings.message_bytes);
    stream_.set_option(websocket::stream_base::decorator(
        [headers = settings.headers](websocket::request_type& request) {
          for (const auto& [name, value] : headers) {
            request.set(name, value);
          }
        }));
  }

  /// Nothing when it has worked.
  std::optional<Error> greet(const std::string& host, const std::string& target) {
    std::optional<error_code> done;
    stream_.async_handshake(host, target, [&done](error_code failure) { done = failure; });
    return outcome(done, errc::kUnavailable);
  }

  Status send(std::string_view text) override {
    std::optional<error_code> done;
    stream_.async_write(asio::buffer(text.data(), text.size()),
                        [&done](error_code failure, std::size_t) { done = failure; });
    auto failure = outcome(done, errc::kAborted);
    return failure ? Status(std::move(*failure)) : Status();
  }

  Result<std::optional<std::string>> receive(milliseconds patience) override {
    if (!reading_ && !failure_) {
      read();
    }
    turn([this] { return !reading_; }, patience);
    if (failure_) {
      return Error{errc::kAborted, failure_->message()};
    }
    if (reading_) {
      return std::optional<std::string>();
    }
    auto message = boost::beast::buffers_to_string(buffer_.data());
    buffer_.consume(buffer_.size());
    read();
    return std::optional(std::move(message));
  }

  int descriptor() override { return stream_.next_layer().native_handle(); }

 private:
  void read() {
    reading_ = true;
    stream_.async_read(buffer_, [this](error_code failure, std::size_t) {
      reading_ = false;
      if (failure) {
        failure_ = failure;
      }
    });
  }

  template <class Ready>
  void turn(Ready ready, milliseconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    context_.restart();
    context_.poll();
    while (!ready() && context_.run_one_until(until) > 0) {
    }
  }

  std::optional<Error> outcome(const std::optional<error_code>& done, Errc code) {
    turn([&done] { return done.has_value(); }, patience_);
    if (!done) {
      close();
      return Error{errc::kTimeout, "it takes too long"};
    }
    return *done ? std::optional(Error{code, done->message()}) : std::nullopt;
  }

  /// What is under way ends before what its handlers refer to.
  void close() {
    error_code ignored;
    stream_.next_layer().close(ignored);
    context_.restart();
    context_.poll();
  }

  const milliseconds patience_;
  asio::io_context context_{1};
  websocket::stream<asio::ip::tcp::socket, false> stream_;
  boost::beast::flat_buffer buffer_;
  bool reading_ = false;
  std::optional<error_code> failure_;
};

}  // namespace

Result<std::unique_ptr<WebSocket>> WebSocket::open(const HttpAddress& address,
                                                   const Settings& settings) {
  const auto told = [&address](const Error& error) {
    return error.code == errc::kTimeout
               ? Error{errc::kTimeout, fmt::format("no answer from {} in time", address.text())}
               : unreachable(address, error);
  };
  auto socket = connectSocket(address, settings.patience);
  if (!socket) {
    return told(socket.error());
  }
  auto opened = std::make_unique<BeastWebSocket>(std::move(socket).value(), settings);
  if (const auto failure = opened->greet(address.authority(), address.path + settings.target)) {
    return told(*failure);
  }
  return Result<std::unique_ptr<WebSocket>>(std::move(opened));
}

}  // namespace svc::client
