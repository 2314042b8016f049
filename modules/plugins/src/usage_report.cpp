#include "usage_report.h"

namespace svc::plugins {

std::vector<PluginUsage> UsageReport::usage() const {
  std::vector<PluginUsage> report;
  for (const auto& entry : loaded_->meters()) {
    const auto values = entry.meters->snapshot();
    const auto used = entry.meters->environments();
    const auto parked = entry.meters->parked();
    report.push_back({.id = entry.id,
                      .status = entry.status,
                      .cpu_ms = used.cpu_ms,
                      .cpu_percent = used.cpu_percent,
                      .heap_bytes = used.heap_bytes,
                      .external_bytes = used.external_bytes,
                      .worker_threads = used.worker_threads,
                      .blocking_operations = used.blocking_operations,
                      .descriptors = used.descriptors,
                      .database_bytes = used.database_bytes,
                      .database_connections = used.database_connections,
                      .parked_environments = parked.count,
                      .parked_bytes = parked.bytes,
                      .loop_delay_p99_ms = used.loop_delay_p99_ms,
                      .pending_calls = used.pending_calls,
                      .calls = values.handlers,
                      .latencies = values.latencies,
                      .counters = values.counters,
                      .restarts = values.restarts});
  }
  return report;
}

}  // namespace svc::plugins
