#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace svc::kernel {

/// Exit status of a process that had to be ended by force.
inline constexpr int kForcedExitCode = 70;

/// Ends the process when it is not destroyed in time: the answer to a module that blocks the main thread for ever.
class ForceExit {
 public:
  ForceExit(std::chrono::milliseconds limit, std::string what);
  ~ForceExit();
  ForceExit(const ForceExit&) = delete;
  ForceExit& operator=(const ForceExit&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable wake_;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace svc::kernel
