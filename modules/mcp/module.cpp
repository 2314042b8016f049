#include "svc/kernel/module.h"

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "svc/agents/agent_tools.h"
#include "svc/agents/forms.h"
#include "svc/base/random.h"
#include "svc/cli/commands.h"
#include "svc/common/codes.h"
#include "svc/common/limits/mcp.h"
#include "svc/http/http.h"
#include "svc/kernel/config_changes.h"
#include "svc/mcp/mcp_stats.h"
#include "svc/mcp/sources.h"
#include "svc/mcp/thread_tokens.h"
#include "svc/plugins/plugins.h"
#include "svc/skills/skills.h"
#include "svc/storage/mcp_token_store.h"
#include "svc/storage/service_settings.h"

#include "access_routes.h"
#include "agent_tool_source.h"
#include "catalogue.h"
#include "command_source.h"
#include "endpoint.h"
#include "form_call.h"
#include "forms.h"
#include "owner_keeper.h"
#include "skill_source.h"

namespace {

using namespace svc;

constexpr const char* kEnabled = "mcp.enabled";
constexpr const char* kAppUrl = "appUrl";

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
    auto store = context.services.require<storage::IMcpTokenStore>();
    if (!store) {
      return store.error();
    }
    auto settings = context.services.require<storage::IServiceSettings>();
    if (!settings) {
      return settings.error();
    }
    const auto owners =
        std::make_shared<mcp::OwnerKeeper>(*settings.value(), context.workers, context.main);
    server_ = server.value();
    main_ = &context.main;
    log_ = context.log;
    reactor_ = reactor.value();
    app_url_ = context.config.getString(kAppUrl);
    const mcp::Surroundings surroundings{
        .reactor = *reactor_,
        .clock = context.clock,
        .counters = counters_,
        .server_info =
            common::Json::object().set("name", "svc").set("version", context.version).dump(),
        .random = randomId,
        .history = std::make_shared<mcp::CallHistory>(),
        .clients = std::make_shared<mcp::Clients>(context.clock),
        .late = late_};
    open_ = std::make_shared<mcp::OpenRequests>(surroundings);
    streams_ = std::make_shared<mcp::Streams>(surroundings);
    catalogue_ = std::make_shared<mcp::Catalogue>(
        mcp::Catalogue::Listeners{
            .changed = [streams = streams_](mcp::ListKind kind) { streams->changed(kind); },
            .resource_updated =
                [streams = streams_](std::string uri) { streams->resourceUpdated(std::move(uri)); },
            .owners_changed = [owners](const mcp::ToolOwners& now) { owners->keep(now); }},
        owners->load());
    if (auto status = addForms(context.clock, context.services.optional<agents::IFormPages>());
        !status) {
      return status;
    }
    if (auto status = addTokens(*store.value(), context.clock); !status) {
      return status;
    }
    endpoint_ = std::make_shared<mcp::Endpoint>(catalogue_, open_, streams_, tokens_, *main_,
                                                pluginsOf(context.services));
    addSources(context.services);
    auto access =
        std::make_shared<mcp::AccessRoutes>(tokens_, surroundings.clients, surroundings.history,
                                            [enabled = enabled_] { return enabled->load(); })
            ->attach(*server_);
    if (!access) {
      return std::move(access).error();
    }
    for (auto& route : access.value()) {
      access_.push_back(std::move(route));
    }
    if (auto status = enable(context.config.getBoolean(kEnabled)); !status) {
      return status;
    }
    followConfig(context.services);
    for (auto status : {context.services.provide<mcp::ISources>(*catalogue_, "mcp"),
                        context.services.provide<mcp::IMcpStats>(*counters_, "mcp"),
                        context.services.provide<mcp::ILateResults>(*late_, "mcp"),
                        context.services.provide<mcp::IThreadTokens>(*tokens_, "mcp")}) {
      if (!status) {
        return status;
      }
    }
    return {};
  }

  void drain(Completion<void> done) override {
    routes_.clear();
    access_.clear();
    endStreams(std::move(done));
  }

  void stop() override {
    followed_.reset();
    routes_.clear();
    access_.clear();
    changes_.clear();
    sources_.clear();
    endpoint_.reset();
    tokens_.reset();
    form_calls_.reset();
    catalogue_.reset();
    streams_.reset();
    open_.reset();
  }

 private:
  mcp::Endpoint::Plugins pluginsOf(ServiceRegistry& services) {
    auto* const plugins = services.optional<plugins::ILoadedPlugins>();
    if (plugins == nullptr) {
      return {.settled = [](std::chrono::milliseconds, Completion<void> done) { done({}); },
              .loading = [] { return std::vector<std::string>(); },
              .running =
                  [](const std::string&, Completion<void> done) {
                    done(Error{errc::kUnknownPlugin, ""});
                  }};
    }
    return {.settled =
                [plugins, main = main_](std::chrono::milliseconds patience, Completion<void> done) {
                  plugins->settled(*main, patience, std::move(done));
                },
            .loading = [plugins] { return plugins->loading(); },
            .running =
                [plugins](const std::string& id, Completion<void> done) {
                  plugins->acquire(id, [held = std::make_shared<Completion<void>>(std::move(done))](
                                           const Result<plugins::GenerationPtr>& found) {
                    (*held)(found ? Status() : Status(found.error()));
                  });
                }};
  }

  void addSources(ServiceRegistry& services) {
    const auto announce = [catalogue = catalogue_] {
      catalogue->changed(mcp::ListKind::kTools);
      catalogue->readTools();
    };
    // Commands first: a name they give is theirs, whatever a plugin calls its tool.
    if (auto* const commands = services.optional<cli::ICommands>()) {
      sources_.push_back(catalogue_->add(std::make_shared<mcp::CommandSource>(*commands)));
      changes_.push_back(commands->onChanged(announce));
    }
    if (auto* const tools = services.optional<agents::IAgentTools>()) {
      sources_.push_back(
          catalogue_->add(std::make_shared<mcp::AgentToolSource>(*tools, form_calls_)));
      changes_.push_back(tools->onChanged(announce));
    }
    if (auto* const skills = services.optional<skills::ISkills>()) {
      sources_.push_back(catalogue_->add(std::make_shared<mcp::SkillSource>(*skills)));
      changes_.push_back(skills->onChanged([catalogue = catalogue_] {
        catalogue->changed(mcp::ListKind::kResources);
        catalogue->changed(mcp::ListKind::kPrompts);
      }));
    }
  }

  Status addForms(const IClock& clock, agents::IFormPages* pages) {
    const auto forms = std::make_shared<mcp::Forms>(
        mcp::Forms::Parts{.reactor = *reactor_, .clock = clock, .random = randomId});
    form_calls_ = std::make_shared<mcp::FormCalls>(
        mcp::FormCalls::Parts{.reactor = *reactor_,
                              .forms = forms,
                              .random = randomId,
                              .page = [server = server_, app = app_url_](const std::string& form) {
                                auto base = app.empty() ? server->baseUrl() : app;
                                while (base.ends_with('/')) {
                                  base.pop_back();
                                }
                                return base + "/forms/" + form;
                              }});
    auto routes = forms->attach(*server_);
    if (!routes) {
      return std::move(routes).error();
    }
    access_ = std::move(routes).value();
    if (pages != nullptr) {
      access_.push_back(pages->serve(
          {.open =
               [forms](agents::FormRequest request, Completion<common::RawJson> done) {
                 return forms->open(std::move(request), "", std::move(done));
               },
           .cancel = [forms](const std::string& id,
                             const std::string& reason) { forms->cancel(id, reason); }}));
    }
    return {};
  }

  Status addTokens(storage::IMcpTokenStore& store, const IClock& clock) {
    tokens_ = std::make_shared<mcp::Tokens>(mcp::Tokens::Parts{
        .store = store,
        .clock = clock,
        .secret = [] { return base::randomHex(limits::kMcpToken); },
        .id = randomId,
        .revoked =
            [reactor = reactor_, open = open_, streams = streams_,
             calls = form_calls_](const mcp::TokenPtr& token) {
              reactor->post([open, streams, calls, token] {
                streams->revoke(token);
                open->revoke(token);
                calls->revoke(token->id);
              });
            },
        .aborted =
            [reactor = reactor_, open = open_](const mcp::TokenPtr& token, bool all) {
              reactor->post([open, token, all] { open->abort(token, all); });
            }});
    return tokens_->load();
  }

  Status enable(bool on) {
    *enabled_ = on;
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
    reactor_->post([streams = streams_] { streams->reopen(); });
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
  std::string app_url_;  // where people reach the window; empty = as the server says
  std::shared_ptr<mcp::Counters> counters_ = std::make_shared<mcp::Counters>();
  const std::shared_ptr<mcp::LateResults> late_ = std::make_shared<mcp::LateResults>();
  std::shared_ptr<mcp::OpenRequests> open_;
  std::shared_ptr<mcp::Streams> streams_;
  std::shared_ptr<mcp::Catalogue> catalogue_;
  std::shared_ptr<mcp::FormCalls> form_calls_;
  std::shared_ptr<mcp::Tokens> tokens_;
  std::shared_ptr<mcp::Endpoint> endpoint_;
  std::vector<Handle> sources_;
  std::vector<Handle> changes_;
  std::vector<Handle> routes_;
  std::vector<Handle> access_;
  std::shared_ptr<std::atomic<bool>> enabled_ = std::make_shared<std::atomic<bool>>(false);
  Handle followed_;
};

constexpr std::array kProvides{mcp::ISources::kId, mcp::IMcpStats::kId, mcp::ILateResults::kId,
                               mcp::IThreadTokens::kId};
constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),         Requirement(http::IReactor::kId),
    Requirement(storage::IMcpTokenStore::kId),   Requirement(storage::IServiceSettings::kId),
    Requirement(agents::IAgentTools::kId, true), Requirement(agents::IFormPages::kId, true),
    Requirement(cli::ICommands::kId, true),      Requirement(skills::ISkills::kId, true)};
constexpr std::array kConfig{
    ConfigKey{kEnabled, ConfigType::kBoolean, "true",
              "Whether MCP clients are served at /api/v1/mcp"},
    ConfigKey{
        kAppUrl, ConfigType::kString, "",
        "public address of the app window; its origin is allowed, its path is the base path"}};

}  // namespace

SVC_MODULE(McpModule, "mcp", "0.43.0", kProvides, kRequires, kConfig);
