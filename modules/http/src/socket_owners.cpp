#include "socket_owners.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <utility>

#include "svc/base/fd.h"

namespace svc::http {
namespace {

namespace ip = boost::asio::ip;

struct Question {
  nlmsghdr header{};
  inet_diag_req_v2 request{};
};

/// The address as the kernel's tables have it: a v4 address in v6 clothes is a v4 address.
std::uint8_t putAddress(const ip::address& address, __be32* words) {
  if (address.is_v6() && !address.to_v6().is_v4_mapped()) {
    const auto bytes = address.to_v6().to_bytes();
    std::memcpy(words, bytes.data(), bytes.size());
    return AF_INET6;
  }
  const auto v4 =
      address.is_v4() ? address.to_v4() : ip::make_address_v4(ip::v4_mapped, address.to_v6());
  const auto bytes = v4.to_bytes();
  std::memcpy(words, bytes.data(), bytes.size());
  return AF_INET;
}

class SocketOwners final : public ISocketOwners {
 public:
  SocketOwners() : netlink_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)) {}

  SocketOwner ownerOf(const Endpoint& peer, const Endpoint& own) override {
    if (!netlink_) {
      return {};
    }
    Question question;
    question.header = {.nlmsg_len = sizeof question,
                       .nlmsg_type = SOCK_DIAG_BY_FAMILY,
                       .nlmsg_flags = NLM_F_REQUEST,
                       .nlmsg_seq = ++sequence_,
                       .nlmsg_pid = 0};
    auto& id = question.request.id;
    // Seen from the peer: its own end is the source.
    question.request.sdiag_family = putAddress(peer.address(), std::data(id.idiag_src));
    putAddress(own.address(), std::data(id.idiag_dst));
    id.idiag_sport = htons(peer.port());
    id.idiag_dport = htons(own.port());
    id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
    id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
    question.request.sdiag_protocol = IPPROTO_TCP;
    question.request.idiag_states = ~0U;
    if (::send(netlink_.get(), &question, sizeof question, MSG_DONTWAIT) !=
        static_cast<ssize_t>(sizeof question)) {
      return {};
    }
    return answer(id.idiag_dport);
  }

 private:
  /// The kernel has answered when send() returns. Answers to earlier questions are passed over.
  SocketOwner answer(__be16 own_port) {
    alignas(nlmsghdr) std::array<char, 4096> buffer{};
    for (;;) {
      const auto size = ::recv(netlink_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (size < static_cast<ssize_t>(sizeof(nlmsghdr))) {
        return {};
      }
      nlmsghdr header{};
      std::memcpy(&header, buffer.data(), sizeof header);
      if (header.nlmsg_seq != sequence_) {
        continue;
      }
      inet_diag_msg found{};
      if (header.nlmsg_type != SOCK_DIAG_BY_FAMILY ||
          header.nlmsg_len < NLMSG_HDRLEN + sizeof found ||
          static_cast<std::size_t>(size) < NLMSG_HDRLEN + sizeof found) {
        return {};
      }
      std::memcpy(&found, buffer.data() + NLMSG_HDRLEN, sizeof found);
      // Where the connection is gone the kernel answers with a socket that listens on its address.
      if (found.idiag_state == TCP_LISTEN || found.id.idiag_dport != own_port) {
        return {};
      }
      // A socket that nobody has open any more shows the user 0 on some kernels, whoever had it.
      return found.idiag_inode == 0 ? SocketOwner{.kind = SocketOwner::Kind::kNobody}
                                    : SocketOwner{SocketOwner::Kind::kUser, found.idiag_uid};
    }
  }

  base::Fd netlink_;
  std::uint32_t sequence_ = 0;
};

}  // namespace

std::unique_ptr<ISocketOwners> makeSocketOwners() { return std::make_unique<SocketOwners>(); }

}  // namespace svc::http
