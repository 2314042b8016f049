#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "svc/base/spawn.h"

namespace svc::base {

int ExitStatus::shellCode() const {
  constexpr int kSignalBase = 128;
  return signal == 0 ? code : kSignalBase + signal;
}

std::string ExitStatus::text() const {
  return signal == 0 ? fmt::format("ended with exit status {}", code)
                     : fmt::format("was ended by signal {}", signal);
}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this != &other) {
    if (*this) {
      terminate({});
    }
    pid_ = std::exchange(other.pid_, -1);
    ended_ = std::move(other.ended_);
    leads_group_ = other.leads_group_;
  }
  return *this;
}

ChildProcess::~ChildProcess() {
  if (*this) {
    signalGroup(SIGKILL);
    reap();
  }
}

void ChildProcess::signal(int number) const {
  ::syscall(SYS_pidfd_send_signal, ended_.get(), number, nullptr, 0);
}

void ChildProcess::signalGroup(int number) const {
  if (pid_ <= 0) {
    return;
  }
  if (leads_group_) {
    // Until it is reaped its number, and with it that of its group, is nobody else's.
    ::kill(-pid_, number);
  } else {
    signal(number);
  }
}

bool ChildProcess::awaitEnd(std::chrono::milliseconds limit) const {
  const auto until = std::chrono::steady_clock::now() + limit;
  for (;;) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd ended{.fd = ended_.get(), .events = POLLIN, .revents = 0};
    constexpr std::int64_t kLongest = 60'000;
    const auto turn = std::clamp<std::int64_t>(left.count(), 0, kLongest);
    const int ready = ::poll(&ended, 1, static_cast<int>(turn));
    if (ready > 0) {
      return true;
    }
    if (ready == 0 && left.count() <= kLongest) {
      return false;
    }
  }
}

ExitStatus ChildProcess::reap() {
  siginfo_t info{};
  while (::waitid(P_PIDFD, static_cast<id_t>(ended_.get()), &info, WEXITED) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return info.si_code == CLD_EXITED ? ExitStatus{.code = info.si_status}
                                    : ExitStatus{.signal = info.si_status};
}

ExitStatus ChildProcess::terminate(std::chrono::milliseconds grace) {
  if (grace.count() > 0) {
    signalGroup(SIGTERM);
    (void)awaitEnd(grace);
  }
  signalGroup(SIGKILL);
  return reap();
}

ChildProcess::Released ChildProcess::release() {
  return {std::exchange(pid_, -1), std::move(ended_)};
}

}  // namespace svc::base
