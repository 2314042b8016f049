#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>

#include <boost/asio/ip/tcp.hpp>

namespace svc::http {

/// Which user of this machine has the other end of a connection. io thread.
class ISocketOwners {
 public:
  using Endpoint = boost::asio::ip::tcp::endpoint;
  virtual ~ISocketOwners() = default;
  /// `peer` and `own` as the server's socket has them. nullopt when the system does not say: no socket of this machine, one that is
  /// closed already, or no way to ask.
  [[nodiscard]] virtual std::optional<uid_t> ownerOf(const Endpoint& peer, const Endpoint& own) = 0;
};

/// Asks the kernel over netlink (sock_diag), one question for each call.
[[nodiscard]] std::unique_ptr<ISocketOwners> makeSocketOwners();

}  // namespace svc::http
