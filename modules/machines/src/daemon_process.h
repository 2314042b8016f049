#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/kernel/result.h"

namespace svc::machines {

/// A host daemon that was started. Letting go of it leaves it running: its end of the parent pipe closes, which ends it.
class IDaemonProcess {
 public:
  virtual ~IDaemonProcess() = default;
  /// Asks it to end (SIGTERM).
  virtual void terminate() = 0;
  /// Waits for its end. Blocks.
  [[nodiscard]] virtual bool awaitExit(std::chrono::milliseconds limit) = 0;
};

struct DaemonCommand {
  std::vector<std::string> argv{};
  /// What it reads from descriptor 3, which then ends. Never on the command line, which other users can see.
  std::string enroll_key{};
};

/// Called once, on the main thread, unless the process object is gone by then. `how`: "ended with exit status 1".
using DaemonExit = std::function<void(const std::string& how)>;

/// Starts host daemons. Main thread.
class IDaemonLauncher {
 public:
  virtual ~IDaemonLauncher() = default;
  [[nodiscard]] virtual Result<std::unique_ptr<IDaemonProcess>> launch(const DaemonCommand& command,
                                                                       DaemonExit on_exit) = 0;
};

/// Real processes: leader of a group of its own, without the SVC_* variables of this process and without its descriptors,
/// stdin empty, 3 the enroll key, 4 a pipe that ends when this process does. Each line it writes goes to `on_line`, on a thread
/// of its own.
class DaemonLauncher final : public IDaemonLauncher {
 public:
  DaemonLauncher(IExecutor& main, std::function<void(std::string_view line)> on_line)
      : main_(main), on_line_(std::move(on_line)) {}
  [[nodiscard]] Result<std::unique_ptr<IDaemonProcess>> launch(const DaemonCommand& command,
                                                               DaemonExit on_exit) override;

 private:
  IExecutor& main_;
  std::function<void(std::string_view line)> on_line_;
};

}  // namespace svc::machines
