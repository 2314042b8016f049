#include "svc/kernel/module.h"

#include <array>
#include <optional>
#include <span>

#include "metrics_routes.h"
#include "server_log_route.h"

namespace {

using namespace svc;

class MetricsModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    if (!server) {
      return std::move(server).error();
    }
    routes_.emplace(context.workers,
                    metrics::Sources{.http = context.services.optional<http::IHttpStats>(),
                                     .mcp = context.services.optional<mcp::IMcpStats>(),
                                     .plugins = context.services.optional<plugins::IPluginUsage>(),
                                     .tools = context.services.optional<agents::IToolStats>(),
                                     .workers = context.services.optional<IWorkerLanes>()},
                    context.version);
    log_.emplace(context.workers, context.paths.data / "logs");
    if (auto status = log_->attach(*server.value()); !status) {
      return status;
    }
    return routes_->attach(*server.value());
  }

  void stop() override {
    routes_.reset();
    log_.reset();
  }

 private:
  std::optional<metrics::MetricsRoutes> routes_;
  std::optional<metrics::ServerLogRoute> log_;
};

constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId), Requirement(http::IHttpStats::kId, true),
    Requirement(mcp::IMcpStats::kId, true), Requirement(plugins::IPluginUsage::kId, true),
    Requirement(agents::IToolStats::kId, true)};

}  // namespace

SVC_MODULE(MetricsModule, "metrics", "0.43.0", std::span<const ServiceId>{}, kRequires,
           std::span<const ConfigKey>{});
