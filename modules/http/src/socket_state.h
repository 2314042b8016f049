#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cstdint>

#include "server_context.h"

namespace svc::http {

/// The state of a connection as the kernel has it now; TCP_CLOSE when it does not say.
inline std::uint8_t stateOf(Socket& socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  return ::getsockopt(socket.native_handle(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0
             ? info.tcpi_state
             : static_cast<std::uint8_t>(TCP_CLOSE);
}

/// False as soon as the peer has closed its side, in any way.
inline bool isEstablished(Socket& socket) { return stateOf(socket) == TCP_ESTABLISHED; }

/// The peer has dropped the connection. One that has only ended what it sends is not reset.
inline bool isReset(Socket& socket) { return stateOf(socket) == TCP_CLOSE; }

}  // namespace svc::http
