#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace svc::kernel {

/// Exit status of a process that had to be ended by force.
inline constexpr int kForcedExitCode = 70;

/// Ends the process when it is not destroyed in time: the answer to a module that blocks the main thread for ever.
class ForceExit {
 public:
  /// Called with the reason before the process ends, on a thread of its own, which is waited for only kLastWords long.
  using LastWords = std::function<void(const std::string& reason)>;
  static constexpr std::chrono::milliseconds kLastWords{1000};

  ForceExit(
      std::chrono::milliseconds limit, std::string what,
      LastWords last_words = [](const std::string&) {});
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
