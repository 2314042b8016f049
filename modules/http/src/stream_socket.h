#pragma once

#include <utility>

#include <boost/asio/post.hpp>
#include <boost/beast/core/bind_handler.hpp>
#include <boost/beast/core/role.hpp>

#include "server_context.h"

namespace svc::http {

/// The socket of a WebSocket; its end belongs to the session. Beast's own teardown closes it while the client may still
/// be sending, which resets the connection and can take the close frame along.
struct StreamSocket : Socket {
  explicit StreamSocket(Socket socket) : Socket(std::move(socket)) {}
};

/// Found by Beast through argument-dependent lookup; the name is Beast's.
template <class Handler>
// NOLINTNEXTLINE(readability-identifier-naming)
void async_teardown(boost::beast::role_type, StreamSocket& socket, Handler&& handler) {
  boost::system::error_code failure;
  socket.shutdown(Socket::shutdown_send, failure);
  boost::asio::post(socket.get_executor(),
                    boost::beast::bind_front_handler(std::forward<Handler>(handler), failure));
}

}  // namespace svc::http
