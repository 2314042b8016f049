#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

namespace svc::serverlink {

/// A connection to a server, in the clear or with TLS, as Beast wants streams: what is built on it is compiled once. Lives on the
/// thread of its executor.
class NetStream {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using TlsStream = boost::beast::ssl_stream<Socket>;
  using executor_type = Socket::executor_type;

  explicit NetStream(Socket socket) : plain_(std::make_unique<Socket>(std::move(socket))) {}
  NetStream(std::unique_ptr<TlsStream> tls, std::shared_ptr<boost::asio::ssl::context> settings)
      : settings_(std::move(settings)), tls_(std::move(tls)) {}

  [[nodiscard]] Socket& socket() { return tls_ ? tls_->next_layer() : *plain_; }
  void close() {
    boost::system::error_code ignored;
    socket().close(ignored);
  }

  /// While it is on, what is written is kept back and goes together with the first write after it: many short messages take one
  /// system call. More than kHeld bytes go nevertheless.
  void hold(bool on) { holds_ = on; }
  static constexpr std::size_t kHeld = 64UL * 1024;

  // NOLINTBEGIN(readability-identifier-naming): the names Beast calls
  [[nodiscard]] executor_type get_executor() { return socket().get_executor(); }

  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    if (tls_) {
      tls_->async_read_some(buffers, std::forward<Handler>(handler));
    } else {
      plain_->async_read_some(buffers, std::forward<Handler>(handler));
    }
  }

  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    const auto size = boost::asio::buffer_size(buffers);
    if (holds_ && held_.size() + size <= kHeld) {
      keep(buffers, size);
      boost::asio::post(get_executor(),
                        boost::beast::bind_front_handler(std::forward<Handler>(handler),
                                                         boost::system::error_code(), size));
    } else if (!held_.empty()) {
      keep(buffers, size);
      writeHeld(Kept<std::decay_t<Handler>>{std::forward<Handler>(handler), size});
    } else if (tls_) {
      tls_->async_write_some(buffers, std::forward<Handler>(handler));
    } else {
      plain_->async_write_some(buffers, std::forward<Handler>(handler));
    }
  }

  friend void beast_close_socket(NetStream& stream) { stream.close(); }

  /// The peer reads the close frame before it sees the end.
  template <class Handler>
  friend void async_teardown(boost::beast::role_type /*role*/, NetStream& stream,
                             Handler&& handler) {
    boost::system::error_code failure;
    stream.socket().shutdown(Socket::shutdown_send, failure);
    boost::asio::post(stream.get_executor(),
                      boost::beast::bind_front_handler(std::forward<Handler>(handler), failure));
  }

  // NOLINTEND(readability-identifier-naming)

 private:
  /// Tells of the bytes that were given, however many went with them.
  template <class Handler>
  struct Kept {
    Handler handler;
    std::size_t size;
    void operator()(boost::system::error_code failure, std::size_t /*written*/) {
      handler(failure, failure ? 0 : size);
    }
  };

  template <class Buffers>
  void keep(const Buffers& buffers, std::size_t size) {
    const auto before = held_.size();
    held_.resize(before + size);
    boost::asio::buffer_copy(boost::asio::buffer(held_) + before, buffers);
  }

  /// There is one write at a time, so what is on its way is left alone.
  template <class Handler>
  void writeHeld(Handler handler) {
    on_way_.clear();
    on_way_.swap(held_);
    if (tls_) {
      boost::asio::async_write(*tls_, boost::asio::buffer(on_way_), std::move(handler));
    } else {
      boost::asio::async_write(*plain_, boost::asio::buffer(on_way_), std::move(handler));
    }
  }

  bool holds_ = false;
  std::string held_;
  std::string on_way_;
  std::shared_ptr<boost::asio::ssl::context> settings_;  // outlives its stream
  std::unique_ptr<Socket> plain_;
  std::unique_ptr<TlsStream> tls_;
};

}  // namespace svc::serverlink
