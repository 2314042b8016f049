#include "signals.h"

#include <pthread.h>

#include <csignal>
#include <initializer_list>
#include <utility>

namespace svc::kernel {
namespace {

sigset_t watchedSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGHUP);
  sigaddset(&set, SIGXCPU);
  // These mean nothing from elsewhere. Node would open its inspector at the first, the second wakes the waiting thread for
  // its end.
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGUSR2);
  return set;
}

/// Whoever sends these, by hand or from a child of a plugin, means nothing that a server does, and their default is its end
/// without a word. Ignored, not blocked: V8 takes SIGPROF while it profiles.
void ignoreTheRest() {
  for (const int number :
       {SIGPIPE, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGPWR, SIGSTKFLT, SIGXFSZ}) {
    std::signal(number, SIG_IGN);
  }
  for (int number = SIGRTMIN; number <= SIGRTMAX; ++number) {
    std::signal(number, SIG_IGN);
  }
}

bool meansNothing(int signal) { return signal == SIGUSR1 || signal == SIGUSR2; }

}  // namespace

Signals::Signals(std::function<void(int)> on_signal) {
  ignoreTheRest();
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
