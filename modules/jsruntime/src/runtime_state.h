#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "environment.h"
#include "runtime.h"
#include "supervisor.h"

namespace svc::jsruntime {

/// What the runtime and its environments share. Lives until the last environment has gone. Thread-safe.
class RuntimeState final : public std::enable_shared_from_this<RuntimeState> {
 public:
  explicit RuntimeState(RuntimeOptions options);
  RuntimeState(const RuntimeState&) = delete;
  RuntimeState& operator=(const RuntimeState&) = delete;
  /// On any thread, also on that of the last environment.
  ~RuntimeState();

  void create(script::InstanceOptions options,
              Completion<std::shared_ptr<script::IScriptInstance>> done);
  bool shutDown(std::chrono::milliseconds limit);

 private:
  class BuilderObserver;
  struct BuildRequest {
    std::string job;
    Completion<std::string> done;
  };

  /// Starts a thread; the environment has no identity yet.
  [[nodiscard]] Result<std::shared_ptr<Environment>> startEnvironment(
      const script::ScriptLimits& limits);
  /// The spare when it fits, else a new one.
  [[nodiscard]] Result<std::shared_ptr<Environment>> takeEnvironment(
      const script::ScriptLimits& limits);
  void adopt(script::InstanceOptions options,
             Completion<std::shared_ptr<script::IScriptInstance>> done);
  void keepSpare();
  /// On the environment's thread, at its end.
  void environmentGone(Environment::Thread thread);
  /// Waits for threads that are on their last steps.
  void joinFinished();

  /// Bundles an entry; `job` and the answer are JSON of js/builder.ts.
  void build(std::string job, Completion<std::string> done);
  void startBuilder();
  void builderReady(Result<std::shared_ptr<script::IScriptInstance>> builder);
  void builderEnded(const script::Termination& termination);
  [[nodiscard]] script::HostFunction buildFunction();

  const RuntimeOptions options_;
  Supervisor supervisor_;
  std::mutex mutex_;
  std::condition_variable gone_;
  bool closing_ = false;
  std::map<std::thread::id, std::thread> threads_;  // of environments that have not ended
  std::vector<std::thread> finished_;
  std::vector<std::weak_ptr<Environment>> environments_;
  std::shared_ptr<Environment> spare_;
  bool builder_starting_ = false;
  std::shared_ptr<script::IScriptInstance> builder_;
  std::vector<BuildRequest> waiting_builds_;
};

}  // namespace svc::jsruntime
