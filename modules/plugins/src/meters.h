#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "svc/kernel/error.h"
#include "svc/plugins/plugin_record.h"

namespace svc::plugins {

/// Statistics of one plugin: shared by its generations, so they survive a reload. Thread-safe.
class Meters {
 public:
  struct Snapshot {
    HandlerStats handlers;
    Counters counters;
    std::optional<PluginError> last_error;
  };

  void recordCall(std::chrono::duration<double, std::milli> took);
  void recordFailedCall(std::chrono::duration<double, std::milli> took, PluginError error);
  void recordOutOfBand(PluginError error);
  void recordStall();
  void recordTermination(PluginError error);
  void recordHeldCall();
  void recordError(PluginError error);
  [[nodiscard]] Snapshot snapshot() const;

 private:
  void addCall(double took_ms);

  mutable std::mutex mutex_;
  Snapshot values_;
};

/// True for failures the plugin answers for; false for those of its caller (wrong input, unknown
/// method).
[[nodiscard]] bool isPluginFailure(Errc code);

}  // namespace svc::plugins
