#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>

#include <boost/asio/ip/tcp.hpp>

namespace svc::http {

/// Who has a socket.
struct SocketOwner {
  enum class Kind : std::uint8_t {
    kUnknown,  ///< the system does not say: no socket of this machine, or no way to ask
    kUser,     ///< a process of the user `uid`
    kNobody,   ///< it was a process of this machine, which has closed it
  };
  Kind kind = Kind::kUnknown;
  uid_t uid = 0;
};

/// Which user of this machine has the other end of a connection. io thread.
class ISocketOwners {
 public:
  using Endpoint = boost::asio::ip::tcp::endpoint;
  virtual ~ISocketOwners() = default;
  /// `peer` and `own` as the server's socket has them. A socket that was reset is gone at once: its owner is unknown.
  [[nodiscard]] virtual SocketOwner ownerOf(const Endpoint& peer, const Endpoint& own) = 0;
};

/// Asks the kernel over netlink (sock_diag), one question for each call.
[[nodiscard]] std::unique_ptr<ISocketOwners> makeSocketOwners();

}  // namespace svc::http
