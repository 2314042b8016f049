#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "svc/agents/tool_stats.h"
#include "svc/http/http.h"
#include "svc/http/http_stats.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/worker_lanes.h"
#include "svc/mcp/mcp_stats.h"
#include "svc/plugins/plugin_usage.h"

namespace svc::metrics {

/// Where the numbers come from. Null: that module is not there.
struct Sources {
  const http::IHttpStats* http = nullptr;
  const mcp::IMcpStats* mcp = nullptr;
  const plugins::IPluginUsage* plugins = nullptr;
  const agents::IToolStats* tools = nullptr;
  const IWorkerLanes* workers = nullptr;
};

/// `GET /metrics` and `GET /api/v1/plugins/top`. Requests arrive on io; attach() and the end are for the main thread.
class MetricsRoutes {
 public:
  MetricsRoutes(IWorkerPool& workers, Sources sources, std::string version)
      : workers_(workers),
        state_(std::make_shared<const State>(State{sources, std::move(version)})) {}

  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  /// Shared with a job that outlives the module's stop: what it asks belongs to modules that stop later.
  struct State {
    Sources sources;
    std::string version;
  };

  void metrics(const http::ExchangePtr& exchange);
  void top(http::IExchange& exchange) const;

  IWorkerPool& workers_;
  std::shared_ptr<const State> state_;
  std::vector<Handle> routes_;
};

/// One row of `/plugins/top`.
[[nodiscard]] common::Json toJson(const plugins::PluginUsage& usage);

}  // namespace svc::metrics
