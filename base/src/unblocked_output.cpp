#include "svc/base/unblocked_output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>

#include <fmt/format.h>

namespace svc::base {

UnblockedOutput::UnblockedOutput(int fd) : fd_(fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) {
    return;
  }
  socket_ = S_ISSOCK(status.st_mode);
  file_ = S_ISREG(status.st_mode);
  if (S_ISFIFO(status.st_mode) || S_ISCHR(status.st_mode)) {
    own_.reset(::open(fmt::format("/proc/self/fd/{}", fd).c_str(),
                      O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  }
}

ssize_t UnblockedOutput::writeSome(std::string_view bytes) const {
  if (socket_) {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
  if (own_ || file_) {
    return ::write(descriptor(), bytes.data(), bytes.size());
  }
  // Somebody else's to open: as much as a pipe with room takes at once.
  pollfd room{.fd = fd_, .events = POLLOUT, .revents = 0};
  if (::poll(&room, 1, 0) == 0) {
    errno = EAGAIN;
    return -1;
  }
  return ::write(fd_, bytes.data(), std::min<std::size_t>(bytes.size(), PIPE_BUF));
}

std::size_t UnblockedOutput::write(std::string_view bytes) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const auto count = writeSome(bytes.substr(written));
    if (count >= 0) {
      written += static_cast<std::size_t>(count);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return written;
    } else if (errno != EINTR) {
      return bytes.size();
    }
  }
  return written;
}

void printUrgent(std::string_view text) { (void)UnblockedOutput(STDERR_FILENO).write(text); }

}  // namespace svc::base
