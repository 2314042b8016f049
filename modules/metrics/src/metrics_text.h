#pragma once

#include <optional>
#include <string>
#include <vector>

#include "svc/agents/tool_stats.h"
#include "svc/http/http_stats.h"
#include "svc/kernel/worker_lanes.h"
#include "svc/mcp/mcp_stats.h"
#include "svc/plugins/plugin_usage.h"

#include "process_usage.h"

namespace svc::metrics {

/// Everything `/metrics` shows, at one moment.
struct Metrics {
  std::string version;
  std::optional<ProcessUsage> process;
  std::optional<http::HttpStats> http;
  std::optional<mcp::McpStats> mcp;
  std::vector<plugins::PluginUsage> plugins;
  std::vector<agents::ToolStats> tools{};
  std::vector<WorkerLaneFigures> workers;
};

/// The text of Prometheus. Durations are seconds, sizes bytes, as its conventions ask.
[[nodiscard]] std::string metricsText(const Metrics& metrics);

}  // namespace svc::metrics
