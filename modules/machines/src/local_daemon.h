#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <spdlog/logger.h>

#include "svc/common/limits/hosts.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

#include "daemon_process.h"

namespace svc::machines {

struct LocalDaemonSettings {
  std::filesystem::path executable{};
  /// Asked at each start.
  std::function<std::filesystem::path()> data_directory{};
  /// "http://127.0.0.1:4700". Asked at each start.
  std::function<std::string()> server_url{};
  /// A fresh enroll key for the server's own machine.
  std::function<Result<std::string>()> enroll_key{};
  /// Hears why no daemon runs; empty = one does.
  std::function<void(std::string note)> note{};
};

/// Keeps the host daemon of the server's own machine running. Main thread.
class LocalDaemon {
 public:
  LocalDaemon(IDaemonLauncher& launcher, IExecutor& main, const IClock& clock,
              LocalDaemonSettings settings, std::shared_ptr<spdlog::logger> log)
      : launcher_(launcher),
        main_(main),
        clock_(clock),
        settings_(std::move(settings)),
        log_(std::move(log)) {}

  void start();
  /// Asks the daemon to end and answers when it has, or after `patience`: other modules want to stop, too. No other is
  /// started.
  void stop(std::chrono::milliseconds patience, Completion<void> done);
  /// Waits a little more for a daemon that is still stopping its workers, then leaves it to itself: it forces its own end within
  /// L:daemon-exit.
  void release(std::chrono::milliseconds wait);

 private:
  void launch();
  void ended(const std::string& how);
  void tryAgainAfter(const std::string& what);

  IDaemonLauncher& launcher_;
  IExecutor& main_;
  const IClock& clock_;
  const LocalDaemonSettings settings_;
  const std::shared_ptr<spdlog::logger> log_;
  bool stopping_ = false;
  std::chrono::milliseconds pause_ = limits::kLocalRestart;
  std::chrono::steady_clock::time_point started_{};
  Completion<void> stopped_;
  std::unique_ptr<IDaemonProcess> process_;
  Handle timer_;
};

}  // namespace svc::machines
