#include "svc/base/fd.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "svc/base/system_error.h"

namespace svc::base {

void Fd::reset(int number) {
  if (number_ >= 0) {
    const int reason = errno;
    ::close(number_);
    errno = reason;
  }
  number_ = number;
}

Result<Pipe> makePipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return systemError("cannot make a pipe", errno);
  }
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Result<SocketPair> makeSocketPair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return systemError("cannot make a socket", errno);
  }
  return SocketPair{Fd(ends[0]), Fd(ends[1])};
}

std::ptrdiff_t readSome(int descriptor, char* into, std::size_t room) {
  std::ptrdiff_t count = 0;
  do {
    count = ::read(descriptor, into, room);
  } while (count < 0 && errno == EINTR);
  return count;
}

bool writeAll(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  return true;
}

Result<std::string> readAll(int descriptor, std::size_t limit) {
  std::string text;
  std::array<char, 65'536>
      piece;  // NOLINT(cppcoreguidelines-pro-type-member-init): read() fills it
  for (;;) {
    const auto count = readSome(descriptor, piece.data(), piece.size());
    if (count < 0) {
      return systemError("cannot read", errno);
    }
    if (count == 0) {
      return text;
    }
    text.append(piece.data(), static_cast<std::size_t>(count));
    if (text.size() > limit) {
      return Error{errc::kTooLarge, fmt::format("more than {} bytes", limit)};
    }
  }
}

}  // namespace svc::base
