#pragma once

#include <memory>

#include <boost/asio/ip/tcp.hpp>

#include "svc/base/socket_owner.h"

namespace svc::http {

using SocketOwner = base::SocketOwner;

/// Which user of this machine has the other end of a connection. io thread.
class ISocketOwners {
 public:
  using Endpoint = boost::asio::ip::tcp::endpoint;
  virtual ~ISocketOwners() = default;
  /// `peer` and `own` as the server's socket has them. A socket that was reset is gone at once: its owner is unknown.
  [[nodiscard]] virtual SocketOwner ownerOf(const Endpoint& peer, const Endpoint& own) = 0;
};

/// What the kernel says.
[[nodiscard]] std::unique_ptr<ISocketOwners> makeSocketOwners();

}  // namespace svc::http
