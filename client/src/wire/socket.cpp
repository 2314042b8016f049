#include "wire/socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <netdb.h>

#include "svc/base/system_error.h"
#include "svc/common/codes.h"

namespace svc::client {
namespace {

using std::chrono::milliseconds;

Error failed(int code) { return {errc::kUnavailable, base::systemText(code)}; }

struct FreeAddresses {
  void operator()(addrinfo* list) const { ::freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses> addressesOf(const HttpAddress& address) {
  addrinfo wanted{};
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int failure =
      ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &wanted, &list);
  if (failure != 0) {
    return failure == EAI_SYSTEM ? failed(errno)
                                 : Error{errc::kUnavailable, ::gai_strerror(failure)};
  }
  return Addresses(list);
}

Result<base::Fd> connectOne(const addrinfo& address, milliseconds patience) {
  base::Fd socket(::socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) {
    return connectFailure(errno);
  }
  if (::connect(socket.get(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) {
      return connectFailure(errno);
    }
    if (auto waited = waitFor(socket.get(), POLLOUT, patience); !waited) {
      return std::move(waited).error();
    }
    int code = 0;
    socklen_t size = sizeof code;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &code, &size) != 0 || code != 0) {
      return connectFailure(code != 0 ? code : errno);
    }
  }
  const int on = 1;
  (void)::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

}  // namespace

Error connectFailure(int code) {
  if (code != EPERM && code != EACCES) {
    return failed(code);
  }
  return {errc::kForbidden, "this program may not use the network (" + base::systemText(code) +
                                "), as in the sandbox of an agent: run it outside of that"};
}

Error unreachable(const HttpAddress& address, const Error& error) {
  if (error.code == errc::kForbidden) {
    return {error.code, fmt::format("{} cannot be reached: {}", address.text(), error.message)};
  }
  return {errc::kUnavailable,
          fmt::format("nothing answers at {}: {}", address.text(), error.message)};
}

Result<base::Fd> connectSocket(const HttpAddress& address, milliseconds patience) {
  const auto addresses = addressesOf(address);
  if (!addresses) {
    return addresses.error();
  }
  Result<base::Fd> connected = Error{errc::kUnavailable, "the name has no address"};
  for (const auto* each = addresses.value().get(); each != nullptr && !connected;
       each = each->ai_next) {
    connected = connectOne(*each, patience);
  }
  return connected;
}

Status waitFor(int descriptor, short events, milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + patience;
  for (auto left = patience;; left = std::chrono::ceil<milliseconds>(until - Clock::now())) {
    pollfd each{.fd = descriptor, .events = events, .revents = 0};
    const auto wait =
        std::clamp<milliseconds::rep>(left.count(), 0, std::numeric_limits<int>::max());
    const int ready = ::poll(&each, 1, static_cast<int>(wait));
    if (ready > 0) {
      return {};
    }
    if (ready < 0 && errno != EINTR) {
      return failed(errno);
    }
    if (ready == 0 && Clock::now() >= until) {
      return Error{errc::kTimeout, "it takes too long"};
    }
  }
}

Status sendAll(int descriptor, std::string_view bytes, milliseconds patience) {
  while (!bytes.empty()) {
    const auto count = ::send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (auto room = waitFor(descriptor, POLLOUT, patience); !room) {
        return room;
      }
    } else if (errno != EINTR) {
      return failed(errno);
    }
  }
  return {};
}

Result<std::size_t> receiveSome(int descriptor, char* into, std::size_t room,
                                milliseconds patience) {
  for (;;) {
    const auto count = ::recv(descriptor, into, room, 0);
    if (count >= 0) {
      return static_cast<std::size_t>(count);
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (auto some = waitFor(descriptor, POLLIN, patience); !some) {
        return std::move(some).error();
      }
    } else if (errno != EINTR) {
      return failed(errno);
    }
  }
}

}  // namespace svc::client
