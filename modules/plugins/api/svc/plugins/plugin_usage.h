#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "svc/kernel/service_id.h"
#include "svc/plugins/plugin_record.h"

namespace svc::plugins {

/// How long the calls of a plugin took: bucket n counts those of at most kLatencyBoundsMs[n], the last one the rest.
inline constexpr std::array kLatencyBoundsMs{1.0,   2.5,   5.0,    10.0,   25.0,    50.0,   100.0,
                                             250.0, 500.0, 1000.0, 2500.0, 10000.0, 60000.0};
using LatencyBuckets = std::array<std::uint64_t, kLatencyBoundsMs.size() + 1>;

/// What one installed plugin uses. Totals count since the server started and survive reloads.
struct PluginUsage {
  std::string id;
  PluginStatus status = PluginStatus::kStarting;
  /// The threads of its environments, with those that do their files, names, cryptography and compression.
  std::uint64_t cpu_ms = 0;
  double cpu_percent = 0;  ///< of one core, over the last second or so
  std::uint64_t heap_bytes = 0;
  std::uint64_t external_bytes = 0;  ///< Buffers and WebAssembly
  std::uint64_t worker_threads = 0;
  std::uint64_t blocking_operations = 0;  ///< on files, names, … that run or wait for a thread
  std::uint64_t descriptors = 0;          ///< files, sockets and pipes
  std::uint64_t database_bytes = 0;       ///< what SQLite holds for it
  std::uint64_t database_connections = 0;
  /// Environments that were given up because native code did not return (or V8 could not go on), and what they hold.
  std::uint64_t parked_environments = 0;
  std::uint64_t parked_bytes = 0;
  double loop_delay_p99_ms = 0;  ///< of the last two minutes
  std::uint64_t pending_calls = 0;
  HandlerStats calls;
  LatencyBuckets latencies{};
  Counters counters;
  /// Starts without a request: of services after a failure, and of the plugin after a termination.
  std::uint64_t restarts = 0;
};

/// Thread-safe and quick (the io thread included).
class IPluginUsage {
 public:
  static constexpr ServiceId kId{"svc.plugins.PluginUsage", 1};
  virtual ~IPluginUsage() = default;
  /// Every installed plugin, ascending by id.
  [[nodiscard]] virtual std::vector<PluginUsage> usage() const = 0;
};

}  // namespace svc::plugins
