#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/plugins/plugin_usage.h"

namespace svc::plugins {

/// Ends the plugin that holds most when all of them together hold more than the server gives them. Heaps, Buffers, WebAssembly,
/// databases and what is parked count. Main thread.
class MemoryBudget final : public std::enable_shared_from_this<MemoryBudget> {
 public:
  struct Surroundings {
    IMainExecutor& main;
    std::function<std::vector<PluginUsage>()> usage;
    /// False when that plugin does not run.
    std::function<bool(const std::string& plugin_id, const std::string& why)> end;
  };

  explicit MemoryBudget(Surroundings surroundings) : at_(std::move(surroundings)) {}

  /// Bytes; 0 is no limit, which costs nothing.
  void setLimit(std::uint64_t bytes);

 private:
  void lookLater();
  void look();
  void endLargest(std::vector<PluginUsage> plugins, std::uint64_t all) const;

  Surroundings at_;
  std::uint64_t limit_ = 0;
  /// Garbage goes by itself: what is above the limit at two looks in a row is held.
  bool was_exceeded_ = false;
  Handle timer_;
};

}  // namespace svc::plugins
