#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <spdlog/logger.h>

#include "svc/common/limits/plugins.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"

#include "artifact_cache.h"
#include "call_table.h"
#include "watch_session.h"
#include "worker_process.h"

namespace svc::hostworkers {

/// What the workers of all plugins share; outlives them.
struct WorkerServices {
  IExecutor& main;
  IArtifacts& artifacts;
  IWorkerLauncher& launcher;
  WatchSessionFactory watches;
  /// A message to the server; dropped while there is none.
  std::function<void(std::string message)> tell;
  /// What this machine allows a worker at most; 0 = what the server says.
  std::int64_t most_heap_mib = 0;
  std::shared_ptr<spdlog::logger> log;
};

/// The worker of one plugin on this machine: at most one process, started by the first call, replaced when the server has loaded
/// another artifact, stopped when nobody needs it. Main thread.
class PluginWorker final : public std::enable_shared_from_this<PluginWorker> {
 public:
  PluginWorker(std::string plugin_id, WorkerServices services);

  /// The JSON text of the result object. Error codes as in the contract.
  void call(HostCall call, Completion<std::string> done);
  bool cancel(const std::string& generation, const std::string& call_id);
  /// The server has given up this generation: its worker ends and it is never started again. Fires when nothing of it is left,
  /// with whether there was anything.
  void retire(const std::string& generation, Completion<bool> done);
  /// A new session: the calls of the last one have nobody who waits, and what is not `current` is over. The server hears of a worker
  /// that has exited since it was lost.
  void sessionOpened(const std::optional<std::string>& current);
  void sessionLost() { has_session_ = false; }
  /// True from the first call of a generation until it is retired.
  [[nodiscard]] bool wanted() const { return !current_.empty(); }
  /// Stops the worker for good; later calls are refused. Fires when nothing is left.
  void shutDown(Completion<void> done);

 private:
  enum class State : std::uint8_t {
    kIdle,      ///< no process
    kFetching,  ///< the artifact is being looked for
    kStarting,  ///< the process is being started, or has not said "ready"
    kRunning,
    kStopping,  ///< told to end, or killed
  };
  /// Why the process ends.
  struct Ending {
    Error error;         ///< of its calls
    bool asked = false;  ///< the server knows, or it is nothing to it
  };

  [[nodiscard]] Status accept(const HostCall& call);
  void remember(const std::string& generation);
  void replaceIdentity(const HostCall& call);
  void next();
  void fetch();
  void launch(const std::filesystem::path& module);
  [[nodiscard]] std::int64_t heapLimit() const;
  [[nodiscard]] std::string heapExitText() const;
  void launched(Result<std::shared_ptr<IWorkerProcess>> process);
  void startFailed(const Error& error);
  void onMessages(std::vector<WorkerMessage> messages);
  void onMessage(WorkerMessage message);
  void onReady(const WorkerMessage& message);
  void onResult(WorkerMessage message);
  void onSignal(const WorkerMessage& message);
  void onLease(const WorkerMessage& message);
  void onWatch(const WorkerMessage& message);
  void onGone(const WorkerExit& exit);
  void flush();
  void kill(Ending ending);
  void stop(Ending ending);
  void end(Ending ending);
  void awaitIdle();
  void settled();
  [[nodiscard]] Error exitError(const WorkerExit& exit, bool started) const;
  [[nodiscard]] WorkerEvents events();

  const std::string plugin_id_;
  WorkerServices services_;
  CallTable calls_;

  State state_ = State::kIdle;
  /// What the process runs, or is started for.
  Artifact artifact_;
  std::string generation_;
  std::int64_t heap_mib_ = 0;
  /// Tells answers for an attempt that was given up from those for this one.
  std::uint64_t attempt_ = 0;
  std::shared_ptr<IWorkerProcess> process_;
  std::optional<Ending> ending_;
  std::unique_ptr<IWatchSession> watches_;
  std::set<std::string> leases_;

  /// What calls are for now; the process may still be of another.
  std::string current_;
  Artifact current_artifact_;
  /// Of the last call. A worker that runs keeps the limit it was started with.
  std::int64_t wanted_heap_mib_ = limits::kPluginHeapMiB;
  std::deque<std::string> retired_;
  bool has_session_ = true;
  /// What a worker ran that exited while there was no session.
  std::string untold_exit_;
  bool closed_ = false;
  std::vector<Completion<void>> waiting_for_end_;

  Handle start_timer_;
  Handle stop_timer_;
  Handle idle_timer_;
};

}  // namespace svc::hostworkers
