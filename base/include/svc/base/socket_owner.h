#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "svc/base/fd.h"

namespace svc::base {

/// Who has a socket.
struct SocketOwner {
  enum class Kind : std::uint8_t {
    /// The system does not say: no socket of this machine, no way to ask, or one of the users that this process's namespace
    /// has no number for, who all look alike.
    kUnknown,
    kUser,    ///< a process of the user `uid`
    kNobody,  ///< no process has it: it was closed, or is not accepted yet
  };
  Kind kind = Kind::kUnknown;
  uid_t uid = 0;

  friend bool operator==(const SocketOwner&, const SocketOwner&) = default;
};

/// The number that stands for every user without a number of its own in a user namespace; nothing where each has one. Of the
/// texts of /proc/self/uid_map and /proc/sys/kernel/overflowuid, either of which may be empty where it cannot be read.
[[nodiscard]] std::optional<uid_t> numberOfUnmapped(std::string_view uid_map,
                                                    std::string_view overflow);

/// Which user of this machine has the other end of a TCP connection: asks the kernel over netlink (sock_diag), one question
/// for each call. One thread at a time.
class SocketOwners {
 public:
  SocketOwners();
  /// `peer` and `own` as this process's socket has them: IPv4 or IPv6. A socket that was reset is gone at once: its owner
  /// is unknown.
  [[nodiscard]] SocketOwner ownerOf(const sockaddr_storage& peer, const sockaddr_storage& own);
  /// Of the other end of a connected socket; unknown when it is none.
  [[nodiscard]] SocketOwner ownerOfPeer(int socket);

 private:
  [[nodiscard]] SocketOwner answer(std::uint16_t own_port);

  Fd netlink_;
  const std::optional<uid_t> unmapped_;
  std::uint32_t sequence_ = 0;
};

}  // namespace svc::base
