#include "svc/base/pty.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>

#include <cerrno>

#include "svc/base/system_error.h"

namespace svc::base {

Result<Pty> openPty(TerminalSize size) {
  Pty pty;
  pty.here = Fd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!pty.here || ::grantpt(pty.here.get()) != 0 || ::unlockpt(pty.here.get()) != 0) {
    return systemError("cannot make a terminal", errno);
  }
  // Not by its path, which another process could have taken away meanwhile.
  pty.there = Fd(::ioctl(pty.here.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!pty.there) {
    return systemError("cannot open a terminal", errno);
  }
  if (auto sized = resizePty(pty.here.get(), size); !sized) {
    return std::move(sized).error();
  }
  return pty;
}

Status resizePty(int here, TerminalSize size) {
  winsize wanted{};
  wanted.ws_row = size.rows;
  wanted.ws_col = size.columns;
  return ::ioctl(here, TIOCSWINSZ, &wanted) == 0
             ? Status()
             : systemError("cannot change the size of a terminal", errno);
}

}  // namespace svc::base
