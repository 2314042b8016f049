#include "signals.h"

#include <pthread.h>

#include <csignal>
#include <utility>

namespace svc::kernel {
namespace {

sigset_t watchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  // These mean nothing from elsewhere. Node would open its inspector at the first, the second wakes the waiting thread for
  // its end.
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  return set;
}

bool meansNothing(int signal) { return signal == SIGUSR1 || signal == SIGUSR2; }

}  // namespace

Signals::Signals(std::function<void(int)> on_signal) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto set = watchedSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this, set, notify = std::move(on_signal)] {
    while (!stopping_) {
      int signal = 0;
      if (sigwait(&set, &signal) == 0 && !meansNothing(signal)) {
        notify(signal);
      }
    }
  });
  pthread_setname_np(thread_.native_handle(), "signals");
}

Signals::~Signals() {
  stopping_ = true;
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

}  // namespace svc::kernel
