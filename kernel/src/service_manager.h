#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "svc/kernel/executor.h"

namespace svc::kernel {

/// What systemd is told about this process by the protocol of sd_notify(3): when it serves, when it ends, and that its main
/// loop still turns, where the unit asks for it (WatchdogSec=). Does nothing where nobody asks. Main thread.
class ServiceManager {
 public:
  /// Where messages go, and within which time the next sign of life is due; as systemd gives them.
  struct Wishes {
    std::string socket;
    std::string watchdog_us;
    std::string watchdog_pid;
  };

  /// What this process was started with. The variables go: what it starts is not what was asked.
  [[nodiscard]] static Wishes takeFromEnvironment();
  /// For a program that takes the place of this one.
  static void putIntoEnvironment(const Wishes& wishes);

  explicit ServiceManager(Wishes wishes);

  /// From now on there are signs of life, from the loop.
  void ready(IExecutor& loop);
  void stopping();
  /// The interval between two signs of life; nothing where none are wanted of this process.
  [[nodiscard]] std::optional<std::chrono::milliseconds> interval() const { return interval_; }
  [[nodiscard]] const Wishes& wishes() const { return wishes_; }

 private:
  void live(IExecutor& loop);
  void tell(std::string_view message) const;

  Wishes wishes_;
  std::optional<std::chrono::milliseconds> interval_;
  Handle next_;
};

}  // namespace svc::kernel
