#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "svc/agents/agent_tools.h"
#include "svc/base/random.h"
#include "svc/cli/commands.h"
#include "svc/http/http.h"
#include "svc/kernel/config_changes.h"
#include "svc/mcp/mcp_stats.h"
#include "svc/mcp/sources.h"

#include "agent_tool_source.h"
#include "catalogue.h"
#include "command_source.h"
#include "endpoint.h"

namespace {

using namespace svc;

constexpr const char* kEnabled = "mcp.enabled";

/// Of sessions and of questions to clients.
std::string randomId() {
  constexpr std::size_t kBytes = 16;
  return base::randomHex(kBytes);
}

class McpModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto reactor = context.services.require<http::IReactor>();
    if (!server) {
      return server.error();
    }
    if (!reactor) {
      return reactor.error();
    }
    server_ = server.value();
    main_ = &context.main;
    log_ = context.log;
    reactor_ = reactor.value();
    const mcp::Surroundings surroundings{
        .reactor = *reactor_,
        .clock = context.clock,
        .counters = counters_,
        .server_info =
            common::Json::object().set("name", "svc").set("version", context.version).dump(),
        .random = randomId};
    open_ = std::make_shared<mcp::OpenRequests>(surroundings);
    streams_ = std::make_shared<mcp::Streams>(surroundings);
    catalogue_ = std::make_shared<mcp::Catalogue>(mcp::Catalogue::Listeners{
        .changed = [streams = streams_](mcp::ListKind kind) { streams->changed(kind); },
        .resource_updated =
            [streams = streams_](std::string uri) { streams->resourceUpdated(std::move(uri)); }});
    endpoint_ = std::make_shared<mcp::Endpoint>(catalogue_, open_, streams_, *main_);
    addSources(context.services);
    if (auto status = enable(context.config.getBoolean(kEnabled)); !status) {
      return status;
    }
    followConfig(context.services);
    for (auto status : {context.services.provide<mcp::ISources>(*catalogue_, "mcp"),
                        context.services.provide<mcp::IMcpStats>(*counters_, "mcp")}) {
      if (!status) {
        return status;
      }
    }
    return {};
  }

  void drain(Completion<void> done) override {
    routes_.clear();
    endStreams(std::move(done));
  }

  void stop() override {
    followed_.reset();
    routes_.clear();
    changes_.clear();
    sources_.clear();
    endpoint_.reset();
    catalogue_.reset();
    streams_.reset();
    open_.reset();
  }

 private:
  void addSources(ServiceRegistry& services) {
    const auto announce = [catalogue = catalogue_] { catalogue->changed(mcp::ListKind::kTools); };
    if (auto* const tools = services.optional<agents::IAgentTools>()) {
      sources_.push_back(catalogue_->add(std::make_shared<mcp::AgentToolSource>(*tools)));
      changes_.push_back(tools->onChanged(announce));
    }
    if (auto* const commands = services.optional<cli::ICommands>()) {
      sources_.push_back(catalogue_->add(std::make_shared<mcp::CommandSource>(*commands)));
      changes_.push_back(commands->onChanged(announce));
    }
  }

  Status enable(bool on) {
    routes_.clear();
    if (!on) {
      endStreams([](const Status&) {});
      return {};
    }
    auto routes = endpoint_->attach(*server_);
    if (!routes) {
      return std::move(routes).error();
    }
    routes_ = std::move(routes).value();
    return {};
  }

  void followConfig(ServiceRegistry& services) {
    auto* const changes = services.optional<IConfigChanges>();
    if (changes == nullptr) {
      return;
    }
    followed_ = changes->add({.keys = {kEnabled}, .apply = [this](const IConfig& now) {
                                if (auto status = enable(now.getBoolean(kEnabled)); !status) {
                                  log_->error("mcp.enabled: {}", status.error().message);
                                }
                              }});
  }

  void endStreams(Completion<void> done) {
    reactor_->post([main = main_, streams = streams_, open = open_,
                    held = std::make_shared<Completion<void>>(std::move(done))] {
      streams->close();
      open->stopAll();
      main->post([held] { (*held)({}); });
    });
  }

  http::IHttpServer* server_ = nullptr;
  http::IReactor* reactor_ = nullptr;
  IMainExecutor* main_ = nullptr;
  std::shared_ptr<spdlog::logger> log_;
  std::shared_ptr<mcp::Counters> counters_ = std::make_shared<mcp::Counters>();
  std::shared_ptr<mcp::OpenRequests> open_;
  std::shared_ptr<mcp::Streams> streams_;
  std::shared_ptr<mcp::Catalogue> catalogue_;
  std::shared_ptr<mcp::Endpoint> endpoint_;
  std::vector<Handle> sources_;
  std::vector<Handle> changes_;
  std::vector<Handle> routes_;
  Handle followed_;
};

constexpr std::array kProvides{mcp::ISources::kId, mcp::IMcpStats::kId};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId), Requirement(http::IReactor::kId),
    Requirement(agents::IAgentTools::kId, true), Requirement(cli::ICommands::kId, true)};
constexpr std::array kConfig{ConfigKey{kEnabled, ConfigType::kBoolean, "true",
                                       "Whether MCP clients are served at /api/v1/mcp"}};

}  // namespace

SVC_MODULE(McpModule, "mcp", "0.43.0", kProvides, kRequires, kConfig);
