#include "interrupts.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "terminal_keys.h"

namespace svc::client {
namespace {

// What a signal handler may touch.
volatile std::sig_atomic_t event_descriptor = -1;
volatile std::sig_atomic_t end_with = -1;
volatile std::sig_atomic_t second_ends = -1;

extern "C" void onSignal(int /*signal*/) {
  if (end_with >= 0) {
    restoreTerminal();
    ::_exit(end_with);
  }
  if (second_ends >= 0) {
    end_with = second_ends;
  }
  const int saved = errno;
  constexpr std::uint64_t kOne = 1;
  [[maybe_unused]] const auto ignored = ::write(event_descriptor, &kOne, sizeof(kOne));
  errno = saved;
}

void replace(int signal, struct sigaction& previous) {
  struct sigaction action {};
  action.sa_handler = onSignal;
  ::sigaction(signal, &action, &previous);
}

}  // namespace

Interrupts::Interrupts(int second_ends_with) : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  event_descriptor = event_.get();
  second_ends = second_ends_with;
  replace(SIGINT, previous_interrupt_);
  replace(SIGTERM, previous_terminate_);
}

Interrupts::~Interrupts() {
  ::sigaction(SIGINT, &previous_interrupt_, nullptr);
  ::sigaction(SIGTERM, &previous_terminate_, nullptr);
  event_descriptor = -1;
  second_ends = -1;
  end_with = -1;
}

bool Interrupts::raised() const {
  pollfd entry{.fd = event_.get(), .events = POLLIN, .revents = 0};
  return ::poll(&entry, 1, 0) > 0;
}

Interrupts::EndAtOnce::EndAtOnce(const Interrupts& interrupts, int exit_code) {
  end_with = exit_code;
  if (interrupts.raised()) {
    restoreTerminal();
    ::_exit(exit_code);
  }
}
Interrupts::EndAtOnce::~EndAtOnce() { end_with = -1; }

}  // namespace svc::client
