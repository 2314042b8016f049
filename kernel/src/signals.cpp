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
  sigaddset(&set,
            SIGUSR2);  // wakes the waiting thread for its end; from elsewhere it means nothing
  return set;
}

}  // namespace

Signals::Signals(std::function<void(int)> on_signal) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto set = watchedSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  thread_ = std::thread([this, set, notify = std::move(on_signal)] {
    while (!stopping_) {
      int signal = 0;
      if (sigwait(&set, &signal) == 0 && signal != SIGUSR2) {
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
