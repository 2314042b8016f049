#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "svc/kernel/unique_function.h"

namespace svc::serverlink {

/// A connection to a server, in the clear or with TLS, as Beast wants streams. What is built on it is compiled once for both, and what
/// is below it once for all that is built on it. Lives on the thread of its executor.
class NetStream {
 public:
  using Socket = boost::asio::ip::tcp::socket;
  using TlsStream = boost::beast::ssl_stream<Socket>;
  using executor_type = Socket::executor_type;
  using Done = UniqueFunction<void(boost::system::error_code failure, std::size_t size)>;

  explicit NetStream(Socket socket);
  NetStream(std::unique_ptr<TlsStream> tls, std::shared_ptr<boost::asio::ssl::context> settings);
  NetStream(NetStream&& other) noexcept;
  NetStream& operator=(NetStream&& other) noexcept;
  NetStream(const NetStream&) = delete;
  NetStream& operator=(const NetStream&) = delete;
  ~NetStream();

  [[nodiscard]] Socket& socket();
  void close();

  /// While it is on, what is written is kept back and goes together with the first write after it: many short messages take one
  /// system call. More than kHeld bytes go nevertheless.
  void hold(bool on) { holds_ = on; }
  static constexpr std::size_t kHeld = 64UL * 1024;

  // NOLINTBEGIN(readability-identifier-naming): the names Beast calls
  [[nodiscard]] executor_type get_executor() { return socket().get_executor(); }

  /// Into the first of the buffers that has room.
  template <class Buffers, class Handler>
  void async_read_some(const Buffers& buffers, Handler&& handler) {
    boost::asio::mutable_buffer into;
    for (auto each = boost::asio::buffer_sequence_begin(buffers);
         into.size() == 0 && each != boost::asio::buffer_sequence_end(buffers); ++each) {
      into = *each;
    }
    read(into, std::forward<Handler>(handler));
  }

  template <class Buffers, class Handler>
  void async_write_some(const Buffers& buffers, Handler&& handler) {
    Parts parts;
    for (auto each = boost::asio::buffer_sequence_begin(buffers);
         parts.count < parts.buffers.size() && each != boost::asio::buffer_sequence_end(buffers);
         ++each) {
      parts.buffers.at(parts.count++) = *each;
    }
    write(parts, std::forward<Handler>(handler));
  }

  friend void beast_close_socket(NetStream& stream) { stream.close(); }

  /// The peer reads the close frame before it sees the end.
  template <class Handler>
  friend void async_teardown(boost::beast::role_type /*role*/, NetStream& stream,
                             Handler&& handler) {
    stream.shutDown(std::forward<Handler>(handler));
  }
  // NOLINTEND(readability-identifier-naming)

 private:
  /// As many buffers of a write as go at once.
  struct Parts {
    std::array<boost::asio::const_buffer, 16> buffers;
    std::size_t count = 0;
    [[nodiscard]] const boost::asio::const_buffer* begin() const { return buffers.data(); }
    [[nodiscard]] const boost::asio::const_buffer* end() const { return buffers.data() + count; }
    using value_type = boost::asio::const_buffer;
    using const_iterator = const boost::asio::const_buffer*;
  };

  void read(boost::asio::mutable_buffer into, Done done);
  void write(const Parts& parts, Done done);
  void shutDown(UniqueFunction<void(boost::system::error_code failure)> done);
  void keep(const Parts& parts, std::size_t size);
  void writeHeld(Done done);

  bool holds_ = false;
  std::string held_;
  std::string on_way_;
  std::shared_ptr<boost::asio::ssl::context> settings_;  // outlives its stream
  std::unique_ptr<Socket> plain_;
  std::unique_ptr<TlsStream> tls_;
};

}  // namespace svc::serverlink
