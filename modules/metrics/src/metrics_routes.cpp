#include "metrics_routes.h"

#include <cmath>

#include "svc/common/envelope.h"

#include "metrics_text.h"
#include "process_usage.h"

namespace svc::metrics {
namespace {

using common::Json;

/// To one decimal: more is noise.
double rounded(double value) { return std::round(value * 10) / 10; }

}  // namespace

Json toJson(const plugins::PluginUsage& usage) {
  return Json::object()
      .set("id", usage.id)
      .set("cpuMs", usage.cpu_ms)
      .set("cpuPercent", rounded(usage.cpu_percent))
      .set("heapBytes", usage.heap_bytes)
      .set("externalBytes", usage.external_bytes)
      .set("workerThreads", usage.worker_threads)
      .set("blockingOperations", usage.blocking_operations)
      .set("descriptors", usage.descriptors)
      .set("databaseBytes", usage.database_bytes)
      .set("databaseConnections", usage.database_connections)
      .set("parkedEnvironments", usage.parked_environments)
      .set("parkedBytes", usage.parked_bytes)
      .set("loopDelayP99Ms", rounded(usage.loop_delay_p99_ms))
      .set("calls", usage.calls.count)
      .set("errors", usage.calls.error_count + usage.counters.out_of_band_errors)
      .set("restarts", usage.restarts);
}

Status MetricsRoutes::attach(http::IHttpServer& server) {
  auto metrics_route =
      server.route({.method = "GET", .pattern = "/metrics", .guard = http::Guard::kHost},
                   [this](const http::ExchangePtr& exchange) { metrics(exchange); });
  if (!metrics_route) {
    return std::move(metrics_route).error();
  }
  routes_.push_back(std::move(metrics_route).value());
  auto top_route = server.route({.method = "GET", .pattern = "/api/v1/plugins/top"},
                                [this](const http::ExchangePtr& exchange) { top(*exchange); });
  if (!top_route) {
    return std::move(top_route).error();
  }
  routes_.push_back(std::move(top_route).value());
  return {};
}

void MetricsRoutes::metrics(const http::ExchangePtr& exchange) {
  const bool queued = workers_.submit([exchange, state = state_] {
    const auto& from = state->sources;
    Metrics metrics{.version = state->version,
                    .process = readProcessUsage(),
                    .http = {},
                    .mcp = {},
                    .plugins = {},
                    .tools = {},
                    .workers = {}};
    if (from.http != nullptr) {
      metrics.http = from.http->stats();
    }
    if (from.mcp != nullptr) {
      metrics.mcp = from.mcp->stats();
    }
    if (from.plugins != nullptr) {
      metrics.plugins = from.plugins->usage();
    }
    if (from.tools != nullptr) {
      metrics.tools = from.tools->stats();
    }
    if (from.workers != nullptr) {
      metrics.workers = from.workers->lanes();
    }
    exchange->respond({.content_type = "text/plain; version=0.0.4; charset=utf-8",
                       .headers = {{"cache-control", "no-store"}},
                       .body = metricsText(metrics)});
  });
  if (!queued) {
    exchange->fail({errc::kOverloaded, "too many jobs are waiting; try again later"});
  }
}

void MetricsRoutes::top(http::IExchange& exchange) const {
  auto rows = Json::array();
  if (const auto* source = state_->sources.plugins) {
    for (const auto& usage : source->usage()) {
      rows.push(toJson(usage));
    }
  }
  exchange.respond({.headers = {{"cache-control", "no-store"}},
                    .body = common::okEnvelope(Json::object().set("plugins", std::move(rows)))});
}

}  // namespace svc::metrics
