#include "net_stream.h"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/bind_handler.hpp>

namespace svc::serverlink {
namespace {

namespace asio = boost::asio;
using boost::beast::bind_front_handler;

}  // namespace

NetStream::NetStream(Socket socket) : plain_(std::make_unique<Socket>(std::move(socket))) {}
NetStream::NetStream(std::unique_ptr<TlsStream> tls, std::shared_ptr<asio::ssl::context> settings)
    : settings_(std::move(settings)), tls_(std::move(tls)) {}
NetStream::NetStream(NetStream&& other) noexcept = default;
NetStream& NetStream::operator=(NetStream&& other) noexcept = default;
NetStream::~NetStream() = default;

NetStream::Socket& NetStream::socket() { return tls_ ? tls_->next_layer() : *plain_; }

void NetStream::close() {
  boost::system::error_code ignored;
  socket().close(ignored);
}

void NetStream::read(asio::mutable_buffer into, Done done) {
  if (tls_) {
    tls_->async_read_some(into, std::move(done));
  } else {
    plain_->async_read_some(into, std::move(done));
  }
}

void NetStream::write(const Parts& parts, Done done) {
  const auto size = asio::buffer_size(parts);
  if (holds_ && held_.size() + size <= kHeld) {
    keep(parts, size);
    asio::post(get_executor(),
               bind_front_handler(std::move(done), boost::system::error_code(), size));
  } else if (!held_.empty()) {
    keep(parts, size);
    // Tells of the bytes that were given, however many went with them.
    writeHeld([done = std::move(done), size](boost::system::error_code failure,
                                             std::size_t /*written*/) mutable {
      done(failure, failure ? 0 : size);
    });
  } else if (tls_) {
    tls_->async_write_some(parts, std::move(done));
  } else {
    plain_->async_write_some(parts, std::move(done));
  }
}

void NetStream::keep(const Parts& parts, std::size_t size) {
  const auto before = held_.size();
  held_.resize(before + size);
  asio::buffer_copy(asio::buffer(held_) + before, parts);
}

/// There is one write at a time, so what is on its way is left alone.
void NetStream::writeHeld(Done done) {
  on_way_.clear();
  on_way_.swap(held_);
  if (tls_) {
    asio::async_write(*tls_, asio::buffer(on_way_), std::move(done));
  } else {
    asio::async_write(*plain_, asio::buffer(on_way_), std::move(done));
  }
}

void NetStream::shutDown(UniqueFunction<void(boost::system::error_code failure)> done) {
  boost::system::error_code failure;
  socket().shutdown(Socket::shutdown_send, failure);
  asio::post(get_executor(), bind_front_handler(std::move(done), failure));
}

}  // namespace svc::serverlink
