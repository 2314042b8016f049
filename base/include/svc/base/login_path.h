#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "svc/base/environment.h"

namespace svc::base {

/// The PATH that the user's login shell makes, which is where the tools of a developer are; a daemon that the system has started
/// does not have it. Asked once, when it is first wanted. Thread-safe; blocks for at most a few seconds.
class LoginPath {
 public:
  explicit LoginPath(Environment own, std::chrono::milliseconds limit = std::chrono::seconds(5))
      : own_(std::move(own)), limit_(limit) {}

  /// The PATH of this process when the shell does not answer.
  [[nodiscard]] const std::string& get();

 private:
  [[nodiscard]] std::optional<std::string> ask() const;

  const Environment own_;
  const std::chrono::milliseconds limit_;
  std::mutex mutex_;
  std::optional<std::string> path_;
};

}  // namespace svc::base
