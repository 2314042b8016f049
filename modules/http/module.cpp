#include "svc/kernel/module.h"

#include <malloc.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/common/json.h"
#include "svc/common/limits/http.h"
#include "svc/kernel/config_changes.h"
#include "svc/kernel/config_rules.h"
#include "svc/kernel/module_states.h"

#include "access_proof.h"
#include "access_routes.h"
#include "config_rules.h"
#include "docs_files.h"
#include "health.h"
#include "open_api.h"
#include "registry_files.h"
#include "server.h"
#include "server_file.h"
#include "static_files.h"

namespace svc::http {
namespace {

constexpr std::array kProvides{IHttpStats::kId, IReactor::kId, IHttpServer::kId, IHealth::kId};
constexpr std::array<Requirement, 0> kRequires{};
/// MiB: the largest body of a call fits at least once.
constexpr std::int64_t kLeastWaiting = limits::kRpcBody >> 20U;
constexpr std::int64_t kMostWaiting = 1024 * 1024;
constexpr std::array kConfig{
    ConfigKey{"listen.host", ConfigType::kString, "127.0.0.1",
              "address to listen on; one that other machines can reach needs listen.allowedHosts",
              isListenHost},
    ConfigKey{"listen.port", ConfigType::kInteger, "4700", "port to listen on; 0 picks a free one",
              config_rules::integer<0, std::numeric_limits<std::uint16_t>::max()>},
    ConfigKey{"listen.allowedHosts", ConfigType::kStringList, "[]",
              "names clients may use in the Host header, with or without a port", areAllowedHosts},
    ConfigKey{"listen.allowedOrigins", ConfigType::kStringList, "[]",
              "origins whose pages may call this server, such as https://svc.example",
              areAllowedOrigins},
    ConfigKey{"listen.trustedProxies", ConfigType::kStringList, "[]",
              "addresses of proxies whose X-Forwarded-* headers are believed", areTrustedProxies},
    ConfigKey{"listen.localUsers", ConfigType::kStringList, "[]",
              "users of this machine, beside the server's own and root, who may call; any for all",
              areLocalUsers},
    ConfigKey{
        "listen.waitingMiB", ConfigType::kInteger, "512",
        "MiB of request bodies that may wait in the server's memory, and of answers that clients "
        "have not taken yet; further requests get 503",
        config_rules::integer<kLeastWaiting, kMostWaiting>},
    ConfigKey{"plugins.waitingMiB", ConfigType::kInteger, "128",
              "MiB of request bodies that may wait for one plugin; further requests get 503",
              config_rules::integer<kLeastWaiting, kMostWaiting>},
    ConfigKey{"appUrl", ConfigType::kString, "",
              "public address of the app window; its origin is allowed, its path is the base path",
              isAppUrl},
};

BodyBudget::Limits bodyLimits(const IConfig& config) {
  const auto bytes = [&config](std::string_view key) {
    return static_cast<std::size_t>(config.getInteger(key)) << 20U;
  };
  return {.process = bytes("listen.waitingMiB"), .plugin = bytes("plugins.waitingMiB")};
}

ServerOptions serverOptions(const IConfig& config) {
  ServerOptions options;
  options.host = config.getString("listen.host");
  options.port = static_cast<std::uint16_t>(config.getInteger("listen.port"));
  options.bodies = bodyLimits(config);
  return options;
}

class HttpModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    context_ = &context;
    // Whoever has the address of a server that died now must not be taken for this one, whether it can listen or not.
    server_file_.emplace(context.paths.data);
    server_file_->removeStale();
    auto proof = AccessProof::open(context.paths.data);
    if (!proof) {
      return std::move(proof).error();
    }
    auto options = serverOptions(context.config);
    options.owners = makeSocketOwners();
    options.proof = proof_ = std::move(proof).value();
    options.give_back = [&bulk = context.bulk_workers] {
      static_cast<void>(bulk.submit([](const std::stop_token&) { ::malloc_trim(0); }));
    };
    auto guard = GuardPolicy::create(guardSettings(context.config));
    if (!guard) {
      return guard.error();
    }
    server_.emplace(std::move(options), std::move(guard).value(), reactor_, context.clock,
                    context.log);
    if (auto listening = server_->listen(); !listening) {
      return listening;
    }
    followConfig();
    files_.emplace(context.paths.share / "window", context.version, context.workers);
    docs_.emplace(context.paths.share / "docs", context.workers);
    registry_.emplace(context.paths.share / "registry", context.workers);
    if (auto added = addRoutes(); !added) {
      return added;
    }
    reactor_.start();
    return provide(context.services);
  }

  void ready(Completion<void> done) override {
    server_->accept();
    context_->when_ready([this] { announce(); });
    done({});
  }

  void drain(Completion<void> done) override {
    if (!server_) {
      done({});
      return;
    }
    auto answer = std::make_shared<Completion<void>>(std::move(done));
    server_->drain([this, answer] { context_->main.post([answer] { (*answer)({}); }); });
  }

  void stop() override {
    followed_.reset();
    if (server_file_) {
      server_file_->remove();
    }
    if (server_) {
      server_->close();
    }
    reactor_.stop();
  }

 private:
  void followConfig() {
    auto* changes = context_->services.optional<IConfigChanges>();
    if (changes == nullptr) {
      return;
    }
    followed_ = changes->add(
        {.keys = {"listen.allowedHosts", "listen.allowedOrigins", "listen.trustedProxies",
                  "listen.localUsers", "appUrl", "listen.waitingMiB", "plugins.waitingMiB"},
         .apply = [this](const IConfig& now) {
           // The rules were asked before, but what they ask of the machine may answer otherwise now.
           if (auto guard = GuardPolicy::create(guardSettings(now))) {
             server_->setGuard(std::move(guard).value());
           } else {
             context_->log->error("who may call is left as it was: {}", guard.error().message);
           }
           server_->setBodyLimits(bodyLimits(now));
         }});
  }

  Status addRoutes() {
    auto live = server_->route(
        {.method = "GET", .pattern = "/healthz", .guard = Guard::kNone},
        [](const ExchangePtr& exchange) {
          exchange->respond(
              {.content_type = "text/plain; charset=utf-8", .headers = {}, .body = "ok"});
        });
    auto ready = server_->route(
        {.method = "GET", .pattern = "/readyz", .guard = Guard::kHost},
        [this](const ExchangePtr& exchange) {
          exchange->respond(
              health_.answer(server_->draining() ? Health::Serving::kNo : Health::Serving::kYes));
        });
    if (!live || !ready) {
      return live ? ready.error() : live.error();
    }
    live_route_ = std::move(live).value();
    ready_route_ = std::move(ready).value();
    access_.emplace(proof_, context_->clock, [this] {
      const auto app_url = context_->config.getString("appUrl");
      return app_url.empty() ? server_->baseUrl() : app_url;
    });
    if (auto attached = access_->attach(*server_); !attached) {
      return attached;
    }
    if (auto described = describeRoutes(); !described) {
      return described;
    }
    auto components =
        server_->route({.method = "GET", .pattern = "/api/v1/registry/:name"},
                       [this](ExchangePtr exchange) { registry_->answer(std::move(exchange)); });
    if (!components) {
      return components.error();
    }
    registry_route_ = std::move(components).value();
    server_->setFallback([this](ExchangePtr exchange) {
      if (DocsFiles::serves(exchange->request().path)) {
        docs_->answer(std::move(exchange));
      } else {
        files_->answer(std::move(exchange));
      }
    });
    if (const auto* states = context_->services.optional<IModuleStates>()) {
      module_report_ = health_.contribute(
          {.member = "modules", .json_value = [states] { return moduleReport(*states); }});
    }
    return {};
  }

  /// The routes describe themselves.
  Status describeRoutes() {
    auto route = server_->route(
        {.method = "GET", .pattern = "/api/v1/openapi.json"}, [this](const ExchangePtr& exchange) {
          exchange->respond({.headers = {{"cache-control", "no-cache"}},
                             .body = openApi(server_->routes(), context_->version).dump()});
        });
    if (!route) {
      return route.error();
    }
    description_route_ = std::move(route).value();
    return {};
  }

  static std::string moduleReport(const IModuleStates& states) {
    auto report = common::Json::array();
    for (const auto& module : states.modules()) {
      report.push(
          common::Json::object()
              .set("name", module.name)
              .set("state", module.state)
              .set("detail", module.detail.empty() ? common::Json() : common::Json(module.detail)));
    }
    return report.dump();
  }

  Status provide(ServiceRegistry& services) {
    stats_ = server_->stats();
    for (auto offered : {services.provide<IHttpStats>(*stats_, "http"),
                         services.provide<IReactor>(reactor_, "http"),
                         services.provide<IHttpServer>(*server_, "http"),
                         services.provide<IHealth>(health_, "http")}) {
      if (!offered) {
        return offered;
      }
    }
    return {};
  }

  void announce() {
    const auto url = server_->baseUrl();
    ServerFacts facts{.pid = ::getpid(),
                      .url = url,
                      .version = context_->version,
                      .access_token = proof_->token(),
                      .started_at_ms = context_->clock.nowMs()};
    if (const auto written = server_file_->write(facts); !written) {
      context_->log->error("{}; until then svc finds this server only with --server {}",
                           written.error().message, url);
      server_file_->keepTrying(std::move(facts), context_->main, [this] {
        context_->log->info("server.json is written: svc finds this server again");
      });
    }
    fmt::print("listening on {}\n", url);
    std::fflush(stdout);
  }

  ModuleContext* context_ = nullptr;
  Reactor reactor_;
  Health health_;
  std::optional<StaticFiles> files_;
  std::optional<DocsFiles> docs_;
  std::optional<RegistryFiles> registry_;
  std::optional<Server> server_;
  std::shared_ptr<IHttpStats> stats_;
  std::optional<ServerFile> server_file_;
  std::shared_ptr<AccessProof> proof_;
  std::optional<AccessRoutes> access_;
  Handle followed_;
  Handle live_route_;
  Handle ready_route_;
  Handle description_route_;
  Handle registry_route_;
  Handle module_report_;
};

}  // namespace

SVC_MODULE(HttpModule, "http", "1.0.0", kProvides, kRequires, kConfig);

}  // namespace svc::http
