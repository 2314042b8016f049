#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "svc/base/environment.h"
#include "svc/kernel/executor.h"

#include "child_worker.h"
#include "worker_process.h"

namespace svc::hostworkers {

struct LauncherOptions {
  /// The program of the workers and the arguments before the launcher's own.
  std::vector<std::string> program;
  /// What lists of processes show for it; empty for its path.
  std::string shown_as{};
  /// The daemon's data directory.
  std::filesystem::path data;
  base::Environment environment;
  /// What a worker wrote. Main thread.
  std::function<void(const WorkerSpec& spec, std::vector<LogLine> lines)> log;
  /// True while the server is behind. May be empty.
  std::function<bool()> congested{};
};

/// The main thread: its tasks, and the context that it waits in.
struct MainThread {
  IExecutor& tasks;
  boost::asio::io_context& io;
};

/// Starts workers as child processes, whose input and output is on the main thread. The constructor begins to remove what an earlier
/// daemon has left. Main thread.
class Launcher final : public IWorkerLauncher {
 public:
  Launcher(LauncherOptions options, MainThread main, IWorkerPool& pool, const IClock& clock);
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  /// Workers that still run are killed, and waited for; not inside of a handler of the context.
  ~Launcher() override;

  void launch(WorkerSpec spec, WorkerEvents events,
              Completion<std::shared_ptr<IWorkerProcess>> done) override;

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
};

}  // namespace svc::hostworkers
