#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "svc/jsruntime/script_runtime.h"
#include "svc/kernel/error.h"
#include "svc/plugins/plugin_record.h"
#include "svc/plugins/plugin_usage.h"

namespace svc::plugins {

/// Statistics of one plugin: shared by its generations, so they survive a reload. Thread-safe.
class Meters {
 public:
  /// What the record shows: since the plugin was installed.
  struct Kept {
    HandlerStats handlers;
    Counters counters;
    std::optional<PluginError> last_error;
  };
  /// Since the server was started.
  struct Snapshot {
    HandlerStats handlers;
    Counters counters;
    std::optional<PluginError> last_error;
    LatencyBuckets latencies{};
    std::uint64_t restarts = 0;
  };

  void recordCall(std::chrono::duration<double, std::milli> took);
  /// Without `took` the call is counted already: its handler had returned before the call failed.
  void recordFailedCall(std::optional<std::chrono::duration<double, std::milli>> took,
                        PluginError error);
  /// The environment ended before the call was answered. `took` as above; lastError is what ended the environment.
  void recordLostCall(std::optional<std::chrono::duration<double, std::milli>> took);
  void recordOutOfBand(PluginError error);
  void recordStall();
  void recordTermination(PluginError error);
  void recordHeldCall();
  void recordError(PluginError error);
  void recordRestart();
  [[nodiscard]] Snapshot snapshot() const;
  /// What servers before this one have counted.
  void restore(Kept before);
  /// With what was restored.
  [[nodiscard]] Kept kept() const;

  /// Counts what an environment uses until it is taken away, and its CPU time from then on.
  void addEnvironment(const std::shared_ptr<script::IScriptInstance>& instance);
  void removeEnvironment(const script::IScriptInstance& instance);
  /// Sums over the environments; of the delays the longest.
  [[nodiscard]] script::ScriptStats environments() const;
  /// Environments that were taken away, but are parked.
  struct Parked {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  [[nodiscard]] Parked parked() const;

 private:
  void addCall(double took_ms);
  /// Cut to what a record, and the list of all, can carry.
  void setLastError(PluginError error);

  mutable std::mutex mutex_;
  Snapshot values_;
  Kept before_;
  std::vector<std::weak_ptr<script::IScriptInstance>> environments_;
  std::vector<std::shared_ptr<script::IScriptInstance>> parked_;
  std::uint64_t ended_cpu_ms_ = 0;
};

/// True for failures the plugin answers for; false for those of its caller (wrong input, unknown
/// method).
[[nodiscard]] bool isPluginFailure(Errc code);

}  // namespace svc::plugins
