#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstdint>

#include "svc/base/fd.h"

namespace svc::base {

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

/// Which user of this machine has the other end of a TCP connection: asks the kernel over netlink (sock_diag), one question
/// for each call. One thread at a time.
class SocketOwners {
 public:
  SocketOwners();
  /// `peer` and `own` as this process's socket has them: IPv4 or IPv6. A socket that was reset is gone at once: its owner
  /// is unknown.
  [[nodiscard]] SocketOwner ownerOf(const sockaddr_storage& peer, const sockaddr_storage& own);

 private:
  [[nodiscard]] SocketOwner answer(std::uint16_t own_port);

  Fd netlink_;
  std::uint32_t sequence_ = 0;
};

}  // namespace svc::base
