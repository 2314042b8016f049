#pragma once

#include <csignal>

#include "svc/base/fd.h"

namespace svc::client {

/// Catches SIGINT and SIGTERM for as long as it lives, so that a command can end what it started; also where a script
/// that runs it in the background has them ignored. One at a time; main thread.
class Interrupts {
 public:
  /// With an exit code a second signal ends the process at once.
  explicit Interrupts(int second_ends_with = -1);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  /// Readable once a signal has come, and from then on.
  [[nodiscard]] int descriptor() const { return event_.get(); }
  [[nodiscard]] bool raised() const;

  /// For waits that do not look at the descriptor: while it lives a signal ends the process at once, and so does one
  /// that has come already.
  class EndAtOnce {
   public:
    EndAtOnce(const Interrupts& interrupts, int exit_code);
    ~EndAtOnce();
    EndAtOnce(const EndAtOnce&) = delete;
    EndAtOnce& operator=(const EndAtOnce&) = delete;
  };

 private:
  base::Fd event_;
  struct sigaction previous_interrupt_ {};
  struct sigaction previous_terminate_ {};
};

}  // namespace svc::client
