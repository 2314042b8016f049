#include "metrics_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

plugins::PluginUsage todo() {
  plugins::PluginUsage usage;
  usage.id = "todo";
  usage.status = plugins::PluginStatus::kRunning;
  usage.cpu_ms = 1500;
  usage.heap_bytes = 4096;
  usage.external_bytes = 128;
  usage.worker_threads = 3;
  usage.blocking_operations = 40;
  usage.descriptors = 12;
  usage.database_bytes = 2048;
  usage.database_connections = 1;
  usage.parked_environments = 2;
  usage.parked_bytes = 512;
  usage.loop_delay_p99_ms = 20;
  usage.pending_calls = 4;
  usage.calls = {.count = 3, .total_ms = 2503, .max_ms = 2500, .error_count = 2};
  usage.latencies[0] = 2;
  usage.latencies.back() = 1;
  usage.counters = {
      .out_of_band_errors = 5, .watchdog_stalls = 6, .terminations = 7, .held_calls = 8};
  usage.restarts = 9;
  return usage;
}

TEST(MetricsTextTest, NamesTheVersion) {
  EXPECT_THAT(metricsText({.version = "0.43.0",
                           .process = {},
                           .http = {},
                           .mcp = {},
                           .plugins = {},
                           .workers = {}}),
              HasSubstr("svc_build_info{version=\"0.43.0\"} 1\n"));
}

TEST(MetricsTextTest, ShowsEveryNumberOfALaneOfWorkers) {
  const auto text = metricsText({.version = "",
                                 .process = {},
                                 .http = {},
                                 .mcp = {},
                                 .plugins = {},
                                 .workers = {{.name = "bulk",
                                              .running = 1,
                                              .waiting = 2,
                                              .done = 3,
                                              .refused = 4,
                                              .longest_ms = 5500}}});
  for (const char* line :
       {"svc_worker_jobs_running{lane=\"bulk\"} 1\n", "svc_worker_jobs_waiting{lane=\"bulk\"} 2\n",
        "svc_worker_jobs_total{lane=\"bulk\"} 3\n",
        "svc_worker_jobs_refused_total{lane=\"bulk\"} 4\n",
        "svc_worker_job_longest_seconds{lane=\"bulk\"} 5.5\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(MetricsTextTest, ShowsEveryNumberOfAPlugin) {
  const auto text = metricsText(
      {.version = "", .process = {}, .http = {}, .mcp = {}, .plugins = {todo()}, .workers = {}});
  for (const char* line : {"svc_plugin_running{plugin=\"todo\"} 1\n",
                           "svc_plugin_cpu_seconds_total{plugin=\"todo\"} 1.5\n",
                           "svc_plugin_heap_bytes{plugin=\"todo\"} 4096\n",
                           "svc_plugin_external_bytes{plugin=\"todo\"} 128\n",
                           "svc_plugin_worker_threads{plugin=\"todo\"} 3\n",
                           "svc_plugin_blocking_operations{plugin=\"todo\"} 40\n",
                           "svc_plugin_open_fds{plugin=\"todo\"} 12\n",
                           "svc_plugin_database_bytes{plugin=\"todo\"} 2048\n",
                           "svc_plugin_database_connections{plugin=\"todo\"} 1\n",
                           "svc_plugin_parked_environments{plugin=\"todo\"} 2\n",
                           "svc_plugin_parked_bytes{plugin=\"todo\"} 512\n",
                           "svc_plugin_loop_delay_p99_seconds{plugin=\"todo\"} 0.02\n",
                           "svc_plugin_pending_calls{plugin=\"todo\"} 4\n",
                           "svc_plugin_call_errors_total{plugin=\"todo\"} 2\n",
                           "svc_plugin_uncaught_errors_total{plugin=\"todo\"} 5\n",
                           "svc_plugin_stalls_total{plugin=\"todo\"} 6\n",
                           "svc_plugin_terminations_total{plugin=\"todo\"} 7\n",
                           "svc_plugin_held_calls_total{plugin=\"todo\"} 8\n",
                           "svc_plugin_restarts_total{plugin=\"todo\"} 9\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(MetricsTextTest, BucketsOfDurationsAreCumulative) {
  const auto text = metricsText(
      {.version = "", .process = {}, .http = {}, .mcp = {}, .plugins = {todo()}, .workers = {}});
  EXPECT_THAT(text, HasSubstr("_seconds_bucket{plugin=\"todo\",le=\"0.001\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("_seconds_bucket{plugin=\"todo\",le=\"60\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("_seconds_bucket{plugin=\"todo\",le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("svc_plugin_call_duration_seconds_sum{plugin=\"todo\"} 2.503\n"));
  EXPECT_THAT(text, HasSubstr("svc_plugin_call_duration_seconds_count{plugin=\"todo\"} 3\n"));
}

TEST(MetricsTextTest, ShowsTheServerWhenItIsKnown) {
  const http::HttpStats stats{.answers = {1, 2, 3, 4, 5},
                              .connections_accepted = 6,
                              .connections_open = 7,
                              .web_sockets_open = 8};
  const ProcessUsage process{.cpu_seconds = 1.25,
                             .started_at = 10,
                             .resident_bytes = 20,
                             .virtual_bytes = 30,
                             .threads = 40,
                             .open_descriptors = 50,
                             .max_descriptors = 60};
  const auto text = metricsText(
      {.version = "", .process = process, .http = stats, .mcp = {}, .plugins = {}, .workers = {}});
  for (const char* line :
       {"svc_http_responses_total{class=\"1xx\"} 1\n",
        "svc_http_responses_total{class=\"5xx\"} 5\n", "svc_http_connections_total 6\n",
        "svc_http_connections 7\n", "svc_http_websockets 8\n", "process_cpu_seconds_total 1.25\n",
        "process_start_time_seconds 10\n", "process_resident_memory_bytes 20\n",
        "process_virtual_memory_bytes 30\n", "process_threads 40\n", "process_open_fds 50\n",
        "process_max_fds 60\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  EXPECT_THAT(
      metricsText(
          {.version = "", .process = {}, .http = {}, .mcp = {}, .plugins = {}, .workers = {}}),
      Not(HasSubstr("svc_http")));
}

TEST(MetricsTextTest, ShowsTheCallsOfMcpClients) {
  const mcp::McpStats stats{.requests = 1,
                            .refused = 2,
                            .unauthorized = 8,
                            .calls = 3,
                            .failed_calls = 4,
                            .detached_calls = 5,
                            .call_ms = 9500,
                            .open_calls = 6,
                            .open_streams = 7};
  const auto text = metricsText(
      {.version = "", .process = {}, .http = {}, .mcp = stats, .plugins = {}, .workers = {}});
  for (const char* line :
       {"svc_mcp_requests_total 1\n", "svc_mcp_errors_total 2\n", "svc_mcp_calls_total 3\n",
        "svc_mcp_failed_calls_total 4\n", "svc_mcp_detached_calls_total 5\n",
        "svc_mcp_open_calls 6\n", "svc_mcp_streams 7\n", "svc_mcp_unauthorized_total 8\n",
        "svc_mcp_call_seconds_total 9.5\n"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
}

TEST(MetricsTextTest, CountsCallsByPluginAndTool) {
  const auto text = metricsText({.version = "",
                                 .process = {},
                                 .http = {},
                                 .mcp = {},
                                 .plugins = {},
                                 .tools = {{"todo", "add", 3, 1, 250}},
                                 .workers = {}});
  EXPECT_THAT(text, HasSubstr("svc_plugin_tool_calls_total{plugin=\"todo\",tool=\"add\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("svc_plugin_tool_errors_total{plugin=\"todo\",tool=\"add\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("svc_plugin_tool_seconds_total{plugin=\"todo\",tool=\"add\"} 0.25\n"));
}

}  // namespace
}  // namespace svc::metrics
