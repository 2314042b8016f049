#pragma once

#include <memory>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
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
    if (tls_) {
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
  std::shared_ptr<boost::asio::ssl::context> settings_;  // outlives its stream
  std::unique_ptr<Socket> plain_;
  std::unique_ptr<TlsStream> tls_;
};

}  // namespace svc::serverlink
