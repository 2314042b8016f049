#include "svc/kernel/module.h"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "svc/http/http.h"
#include "svc/kernel/config_changes.h"
#include "svc/kernel/config_rules.h"
#include "svc/plugins/plugins.h"
#include "svc/plugins/secret_mask.h"

#include "http_part.h"
#include "route_mount.h"
#include "token_route.h"

namespace {

using namespace svc;

constexpr std::string_view kBodyMax = "plugins.httpBodyMax";

class RoutesModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto loaded = context.services.require<plugins::ILoadedPlugins>();
    auto api = context.services.require<plugins::IPluginApi>();
    auto manager = context.services.require<plugins::IPluginManager>();
    for (const Error* missing :
         {errorOf(server), errorOf(loaded), errorOf(api), errorOf(manager)}) {
      if (missing != nullptr) {
        return *missing;
      }
    }
    const auto loads = std::make_shared<routes::Loads>();
    const auto tokens =
        std::make_shared<routes::Tokens>(context.paths.data / "plugins", context.workers,
                                         context.services.optional<plugins::ISecretMask>());
    part_ = api.value()->addPart(routes::httpPart(
        loads, [tokens](const std::string& plugin_id) { tokens->learn(plugin_id); }));
    dispose_ = api.value()->addDisposeStep(
        plugins::DisposePhase::kCloseWebSockets,
        [loads](const plugins::GenerationPtr& generation, Completion<void> done) {
          if (const auto load = loads->find(generation->loadId())) {
            load->sockets.closeAll(std::move(done));
          } else {
            done({});
          }
        });
    mount_.emplace(
        std::make_shared<routes::Admission>(*server.value(), *loaded.value(), loads, tokens));
    token_.emplace(*manager.value(), tokens);
    if (auto attached = token_->attach(*server.value()); !attached) {
      return attached;
    }
    const http::BodyLimit limit(bodyMax(context.config));
    if (auto* changes = context.services.optional<IConfigChanges>()) {
      followed_ = changes->add({.keys = {std::string(kBodyMax)},
                                .apply = [limit](const IConfig& now) { limit.set(bodyMax(now)); }});
    }
    return mount_->attach(*server.value(), limit);
  }

  void stop() override {
    followed_.reset();
    mount_.reset();
    token_.reset();
    dispose_.reset();
    part_.reset();
  }

 private:
  static std::size_t bodyMax(const IConfig& config) {
    return static_cast<std::size_t>(config.getInteger(kBodyMax));
  }

  template <class T>
  static const Error* errorOf(const Result<T>& result) {
    return result ? nullptr : &result.error();
  }

  Handle followed_;
  Handle part_;
  Handle dispose_;
  std::optional<routes::RouteMount> mount_;
  std::optional<routes::TokenRoute> token_;
};

constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),          Requirement(plugins::ILoadedPlugins::kId),
    Requirement(plugins::IPluginApi::kId),        Requirement(plugins::IPluginManager::kId),
    Requirement(plugins::ISecretMask::kId, true),
};
constexpr std::array kConfig{
    ConfigKey{kBodyMax, ConfigType::kInteger, "268435456",
              "largest request body, in bytes, that a plugin's HTTP route takes",
              config_rules::integer<1>},
};

}  // namespace

SVC_MODULE(RoutesModule, "routes", "0.43.0", std::span<const ServiceId>{}, kRequires, kConfig);
