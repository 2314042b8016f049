#include "metrics_text.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "exposition.h"

namespace svc::metrics {
namespace {

using plugins::PluginUsage;

constexpr double kMillisecondsPerSecond = 1000;

double number(std::uint64_t value) { return static_cast<double>(value); }

void addProcess(Exposition& out, const ProcessUsage& process) {
  struct Entry {
    const char* name;
    const char* type;
    const char* help;
    double value;
  };
  for (const auto& entry : std::array{
           Entry{"process_cpu_seconds_total", "counter", "CPU time of the server.",
                 process.cpu_seconds},
           Entry{"process_start_time_seconds", "gauge", "When the server started, since the epoch.",
                 process.started_at},
           Entry{"process_resident_memory_bytes", "gauge", "Memory of the server in RAM.",
                 number(process.resident_bytes)},
           Entry{"process_virtual_memory_bytes", "gauge", "Address space of the server.",
                 number(process.virtual_bytes)},
           Entry{"process_threads", "gauge", "Threads of the server.", number(process.threads)},
           Entry{"process_open_fds", "gauge", "Open file descriptors.",
                 number(process.open_descriptors)},
           Entry{"process_max_fds", "gauge", "Most file descriptors allowed.",
                 number(process.max_descriptors)}}) {
    out.family(entry.name, entry.type, entry.help);
    out.sample(entry.value);
  }
}

void addHttp(Exposition& out, const http::HttpStats& stats) {
  out.family("svc_http_responses_total", "counter", "Answers of the server by class of status.");
  constexpr std::array<std::string_view, 5> kClasses{"1xx", "2xx", "3xx", "4xx", "5xx"};
  for (std::size_t kind = 0; kind < kClasses.size(); ++kind) {
    out.sample(number(stats.answers[kind]), {{"class", kClasses[kind]}});
  }
  out.family("svc_http_connections_total", "counter", "Connections accepted.");
  out.sample(number(stats.connections_accepted));
  out.family("svc_http_connections", "gauge", "HTTP connections open now.");
  out.sample(number(stats.connections_open));
  out.family("svc_http_websockets", "gauge", "WebSockets open now.");
  out.sample(number(stats.web_sockets_open));
  out.family("svc_http_body_bytes", "gauge", "Bodies of requests that are not answered yet.");
  out.sample(number(stats.body_bytes));
  out.family("svc_http_bodies_refused_total", "counter",
             "Requests refused because there was no room for their bodies.");
  out.sample(number(stats.bodies_refused));
  out.family("svc_plugin_body_bytes", "gauge",
             "Bodies of requests that wait for the plugin or are being answered.");
  for (const auto& [plugin, bytes] : stats.plugin_body_bytes) {
    out.sample(number(bytes), {{"plugin", plugin}});
  }
}

/// One value per lane.
struct LaneMetric {
  const char* name;
  const char* type;
  const char* help;
  double (*value)(const WorkerLaneFigures& lane);
};

constexpr std::array kLaneMetrics{
    LaneMetric{"svc_worker_jobs_running", "gauge", "Blocking jobs that run now.",
               [](const WorkerLaneFigures& lane) { return number(lane.running); }},
    LaneMetric{"svc_worker_jobs_waiting", "gauge", "Blocking jobs that wait for a thread.",
               [](const WorkerLaneFigures& lane) { return number(lane.waiting); }},
    LaneMetric{"svc_worker_jobs_total", "counter", "Blocking jobs done.",
               [](const WorkerLaneFigures& lane) { return number(lane.done); }},
    LaneMetric{"svc_worker_jobs_refused_total", "counter",
               "Blocking jobs refused because too many were waiting.",
               [](const WorkerLaneFigures& lane) { return number(lane.refused); }},
    LaneMetric{"svc_worker_job_longest_seconds", "gauge",
               "The blocking job that took longest since the start, or still runs.",
               [](const WorkerLaneFigures& lane) {
                 return number(lane.longest_ms) / kMillisecondsPerSecond;
               }},
};

void addMcp(Exposition& out, const mcp::McpStats& stats) {
  struct Entry {
    const char* name;
    const char* type;
    const char* help;
    std::uint64_t value;
  };
  for (const auto& entry : std::array{
           Entry{"svc_mcp_requests_total", "counter", "Messages of MCP clients.", stats.requests},
           Entry{"svc_mcp_errors_total", "counter", "Messages answered with an error.",
                 stats.refused},
           Entry{"svc_mcp_unauthorized_total", "counter",
                 "Messages with a token that does not work.", stats.unauthorized},
           Entry{"svc_mcp_calls_total", "counter", "Calls of tools.", stats.calls},
           Entry{"svc_mcp_failed_calls_total", "counter", "Calls of tools that failed.",
                 stats.failed_calls},
           Entry{"svc_mcp_detached_calls_total", "counter",
                 "Calls that took longer than their client waits.", stats.detached_calls},
           Entry{"svc_mcp_open_calls", "gauge", "Requests that plugins have not answered.",
                 stats.open_calls},
           Entry{"svc_mcp_streams", "gauge", "Clients that listen for changes.",
                 stats.open_streams}}) {
    out.family(entry.name, entry.type, entry.help);
    out.sample(number(entry.value));
  }
  out.family("svc_mcp_call_seconds_total", "counter", "What calls of tools took that have ended.");
  out.sample(number(stats.call_ms) / kMillisecondsPerSecond);
}

/// One value per plugin.
struct PluginMetric {
  const char* name;
  const char* type;
  const char* help;
  double (*value)(const PluginUsage& usage);
};

constexpr std::array kPluginMetrics{
    PluginMetric{"svc_plugin_running", "gauge", "1 while the status of the plugin is running.",
                 [](const PluginUsage& usage) {
                   return usage.status == plugins::PluginStatus::kRunning ? 1.0 : 0.0;
                 }},
    PluginMetric{
        "svc_plugin_cpu_seconds_total", "counter", "CPU time of the plugin's threads.",
        [](const PluginUsage& usage) { return number(usage.cpu_ms) / kMillisecondsPerSecond; }},
    PluginMetric{"svc_plugin_heap_bytes", "gauge", "JavaScript heap in use.",
                 [](const PluginUsage& usage) { return number(usage.heap_bytes); }},
    PluginMetric{"svc_plugin_external_bytes", "gauge", "Memory of Buffers and WebAssembly.",
                 [](const PluginUsage& usage) { return number(usage.external_bytes); }},
    PluginMetric{"svc_plugin_worker_threads", "gauge", "Worker threads.",
                 [](const PluginUsage& usage) { return number(usage.worker_threads); }},
    PluginMetric{"svc_plugin_blocking_operations", "gauge",
                 "Operations on files, names, keys and compression that run or wait for a thread.",
                 [](const PluginUsage& usage) { return number(usage.blocking_operations); }},
    PluginMetric{"svc_plugin_open_fds", "gauge", "Open files, sockets and pipes.",
                 [](const PluginUsage& usage) { return number(usage.descriptors); }},
    PluginMetric{"svc_plugin_database_bytes", "gauge", "Memory of SQLite for its databases.",
                 [](const PluginUsage& usage) { return number(usage.database_bytes); }},
    PluginMetric{"svc_plugin_database_connections", "gauge", "Open database connections.",
                 [](const PluginUsage& usage) { return number(usage.database_connections); }},
    PluginMetric{"svc_plugin_parked_environments", "gauge",
                 "Environments that were given up while native code ran, and are still there.",
                 [](const PluginUsage& usage) { return number(usage.parked_environments); }},
    PluginMetric{"svc_plugin_parked_bytes", "gauge", "Memory of the parked environments.",
                 [](const PluginUsage& usage) { return number(usage.parked_bytes); }},
    PluginMetric{
        "svc_plugin_loop_delay_p99_seconds", "gauge",
        "Delay of the event loop, 99th percentile of the last two minutes.",
        [](const PluginUsage& usage) { return usage.loop_delay_p99_ms / kMillisecondsPerSecond; }},
    PluginMetric{"svc_plugin_pending_calls", "gauge", "Calls that wait for their answer.",
                 [](const PluginUsage& usage) { return number(usage.pending_calls); }},
    PluginMetric{"svc_plugin_call_errors_total", "counter",
                 "Calls the plugin answered with a failure.",
                 [](const PluginUsage& usage) { return number(usage.calls.error_count); }},
    PluginMetric{
        "svc_plugin_uncaught_errors_total", "counter", "Failures outside of calls.",
        [](const PluginUsage& usage) { return number(usage.counters.out_of_band_errors); }},
    PluginMetric{"svc_plugin_stalls_total", "counter", "Times the event loop did not answer.",
                 [](const PluginUsage& usage) { return number(usage.counters.watchdog_stalls); }},
    PluginMetric{"svc_plugin_terminations_total", "counter", "Environments that ended by force.",
                 [](const PluginUsage& usage) { return number(usage.counters.terminations); }},
    PluginMetric{"svc_plugin_held_calls_total", "counter", "Calls that waited for a reload.",
                 [](const PluginUsage& usage) { return number(usage.counters.held_calls); }},
    PluginMetric{"svc_plugin_restarts_total", "counter",
                 "Starts of services after a failure, and of the plugin after a termination.",
                 [](const PluginUsage& usage) { return number(usage.restarts); }},
};

void addDurations(Exposition& out, const std::vector<PluginUsage>& all) {
  out.family("svc_plugin_call_duration_seconds", "histogram", "How long calls took.");
  for (const auto& usage : all) {
    std::uint64_t count = 0;
    for (std::size_t at = 0; at < usage.latencies.size(); ++at) {
      count += usage.latencies[at];
      const auto bound =
          at < plugins::kLatencyBoundsMs.size()
              ? fmt::format("{}", plugins::kLatencyBoundsMs[at] / kMillisecondsPerSecond)
              : std::string("+Inf");
      out.part("_bucket", number(count), {{"plugin", usage.id}, {"le", bound}});
    }
    out.part("_sum", usage.calls.total_ms / kMillisecondsPerSecond, {{"plugin", usage.id}});
    out.part("_count", number(count), {{"plugin", usage.id}});
  }
}

void addTools(Exposition& out, const std::vector<agents::ToolStats>& all) {
  struct ToolMetric {
    const char* name;
    const char* help;
    double (*value)(const agents::ToolStats& tool);
  };
  constexpr std::array kMetrics{
      ToolMetric{"svc_plugin_tool_calls_total", "Calls of a tool that were answered.",
                 [](const agents::ToolStats& tool) { return number(tool.calls); }},
      ToolMetric{"svc_plugin_tool_errors_total",
                 "Calls of a tool that were answered with an error.",
                 [](const agents::ToolStats& tool) { return number(tool.errors); }},
      ToolMetric{
          "svc_plugin_tool_seconds_total", "How long the calls of a tool took together.",
          [](const agents::ToolStats& tool) { return tool.total_ms / kMillisecondsPerSecond; }},
  };
  for (const auto& metric : kMetrics) {
    out.family(metric.name, "counter", metric.help);
    for (const auto& tool : all) {
      out.sample(metric.value(tool), {{"plugin", tool.plugin_id}, {"tool", tool.name}});
    }
  }
}

}  // namespace

std::string metricsText(const Metrics& metrics) {
  Exposition out;
  out.family("svc_build_info", "gauge", "Version of the service.");
  out.sample(1, {{"version", metrics.version}});
  if (metrics.process) {
    addProcess(out, *metrics.process);
  }
  if (metrics.http) {
    addHttp(out, *metrics.http);
  }
  if (metrics.mcp) {
    addMcp(out, *metrics.mcp);
  }
  for (const auto& metric : kLaneMetrics) {
    out.family(metric.name, metric.type, metric.help);
    for (const auto& lane : metrics.workers) {
      out.sample(metric.value(lane), {{"lane", lane.name}});
    }
  }
  for (const auto& metric : kPluginMetrics) {
    out.family(metric.name, metric.type, metric.help);
    for (const auto& usage : metrics.plugins) {
      out.sample(metric.value(usage), {{"plugin", usage.id}});
    }
  }
  addDurations(out, metrics.plugins);
  addTools(out, metrics.tools);
  return std::move(out).text();
}

}  // namespace svc::metrics
