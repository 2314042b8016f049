#pragma once

#include <atomic>
#include <functional>
#include <thread>

namespace svc::kernel {

/// Turns SIGINT, SIGTERM, SIGHUP and SIGXCPU into calls on a thread of its own. Blocks the signals in the calling thread, so it
/// is made before any other thread starts. All others that would end the process are ignored, but for those of faults and
/// SIGQUIT, which asks for a core dump.
class Signals {
 public:
  explicit Signals(std::function<void(int signal)> on_signal);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

 private:
  std::atomic<bool> stopping_{false};
  std::thread thread_;  // reads stopping_
};

}  // namespace svc::kernel
