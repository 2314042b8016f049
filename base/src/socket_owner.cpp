#include "svc/base/socket_owner.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <array>
#include <charconv>
#include <cstring>
#include <string>
#include <utility>

#include "svc/base/files.h"
#include "svc/base/text.h"

namespace svc::base {
namespace {

struct Question {
  nlmsghdr header{};
  inet_diag_req_v2 request{};
};

/// The address as the kernel's tables have it: a v4 address in v6 clothes is a v4 address. Gives its family; the port is in
/// the order of the network.
std::uint8_t putAddress(const sockaddr_storage& from, __be32* words, __be16& port) {
  if (from.ss_family == AF_INET6) {
    sockaddr_in6 address{};
    std::memcpy(&address, &from, sizeof address);
    port = address.sin6_port;
    if (!IN6_IS_ADDR_V4MAPPED(&address.sin6_addr)) {
      std::memcpy(words, &address.sin6_addr, sizeof address.sin6_addr);
      return AF_INET6;
    }
    std::memcpy(words, &address.sin6_addr.s6_addr[12], sizeof(in_addr));
    return AF_INET;
  }
  sockaddr_in address{};
  std::memcpy(&address, &from, sizeof address);
  port = address.sin_port;
  std::memcpy(words, &address.sin_addr, sizeof address.sin_addr);
  return AF_INET;
}

std::string textOf(const char* path) {
  constexpr std::size_t kMost = 64UL * 1024;
  auto text = readFile(path, kMost);
  return text ? std::move(text).value() : std::string{};
}

/// "0 0 4294967295", with any space between.
bool mapsEverybody(std::string_view uid_map) {
  std::string words;
  for (const char each : trimmed(uid_map)) {
    const bool space = each == ' ' || each == '\t';
    if (!space) {
      words += each;
    } else if (!words.ends_with(' ')) {
      words += ' ';
    }
  }
  return words == "0 0 4294967295";
}

}  // namespace

std::optional<uid_t> numberOfUnmapped(std::string_view uid_map, std::string_view overflow) {
  if (mapsEverybody(uid_map)) {
    return std::nullopt;
  }
  constexpr uid_t kUsual = 65534;
  const auto digits = trimmed(overflow);
  uid_t number = kUsual;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

SocketOwners::SocketOwners()
    : netlink_(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG)),
      unmapped_(
          numberOfUnmapped(textOf("/proc/self/uid_map"), textOf("/proc/sys/kernel/overflowuid"))) {}

SocketOwner SocketOwners::ownerOfPeer(int socket) {
  sockaddr_storage peer{};
  sockaddr_storage own{};
  socklen_t peer_size = sizeof peer;
  socklen_t own_size = sizeof own;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0 ||
      ::getsockname(socket, reinterpret_cast<sockaddr*>(&own), &own_size) != 0) {
    return {};
  }
  return ownerOf(peer, own);
}

SocketOwner SocketOwners::ownerOf(const sockaddr_storage& peer, const sockaddr_storage& own) {
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
  question.request.sdiag_family = putAddress(peer, std::data(id.idiag_src), id.idiag_sport);
  putAddress(own, std::data(id.idiag_dst), id.idiag_dport);
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

// The kernel has answered when send() returns. Answers to earlier questions are passed over.
SocketOwner SocketOwners::answer(std::uint16_t own_port) {
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
    if (found.idiag_inode == 0) {
      return {.kind = SocketOwner::Kind::kNobody};
    }
    // Also where this process is one of the unmapped: then every other one of them has its number.
    return unmapped_ == found.idiag_uid ? SocketOwner{}
                                        : SocketOwner{SocketOwner::Kind::kUser, found.idiag_uid};
  }
}

}  // namespace svc::base
