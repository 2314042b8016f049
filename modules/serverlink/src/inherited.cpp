#include "inherited.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include <fmt/format.h>

#include "svc/base/text.h"

namespace svc::serverlink {
namespace {

constexpr std::size_t kLongest = 1024;

}  // namespace

Result<std::string> readInherited(int descriptor, std::chrono::milliseconds wait) {
  const auto deadline = std::chrono::steady_clock::now() + wait;
  std::string text;
  for (bool more = true; more && text.size() < kLongest;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    struct pollfd waiting {
      descriptor, POLLIN, 0
    };
    const int ready =
        ::poll(&waiting, 1, static_cast<int>(std::max<std::int64_t>(left.count(), 0)));
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready <= 0) {
      ::close(descriptor);
      return Error{errc::kTimeout, fmt::format("nobody wrote to descriptor {}", descriptor)};
    }
    std::array<char, kLongest> piece{};
    const auto size = ::read(descriptor, piece.data(), piece.size());
    if (size < 0 && errno == EINTR) {
      continue;
    }
    if (size < 0) {
      return Error{errc::kUnavailable, fmt::format("cannot read from descriptor {}", descriptor)};
    }
    text.append(piece.data(), static_cast<std::size_t>(size));
    more = size > 0;
  }
  ::close(descriptor);
  text = std::string(base::trimmed(text));
  if (text.empty()) {
    return Error{errc::kUnavailable, fmt::format("descriptor {} is empty", descriptor)};
  }
  return text;
}

Status keepToSelf(int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFD);
  if (flags < 0 || ::fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) != 0) {
    return Error{errc::kInvalidArgument, fmt::format("there is no descriptor {}", descriptor)};
  }
  return {};
}

}  // namespace svc::serverlink
