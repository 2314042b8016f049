#include "svc/kernel/module.h"

#include <array>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/plugins/assets.h"
#include "svc/plugins/plugins.h"
#include "svc/realtime/realtime.h"
#include "svc/storage/service_settings.h"

#include "theme_routes.h"

namespace {

using namespace svc;

/// A theme is a file: it is offered whenever its plugin is on, whether or not its code runs.
bool isOn(const plugins::PluginRecord& record) {
  return record.enabled && record.status != plugins::PluginStatus::kDisabled &&
         record.status != plugins::PluginStatus::kMissing;
}

class ThemesModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    if (!server) {
      return std::move(server).error();
    }
    auto settings = context.services.require<storage::IServiceSettings>();
    if (!settings) {
      return std::move(settings).error();
    }
    choices_.emplace(*settings.value());
    if (auto opened = choices_->open(); !opened) {
      return opened;
    }
    shelf_.emplace(context.paths.data / "themes",
                   context.services.optional<plugins::IPluginAssets>());
    auto* hub = context.services.optional<realtime::IRealtimeHub>();
    routes_.emplace(context.workers, *shelf_, *choices_, [hub] {
      if (hub != nullptr) {
        hub->changed({.entity = "system", .kinds = {"config-changed"}});
      }
    });
    if (auto* manager = context.services.optional<plugins::IPluginManager>()) {
      changes_ = manager->onChanged([this](const std::vector<plugins::PluginRecord>& records) {
        std::set<std::string> on;
        for (const auto& record : records) {
          if (isOn(record)) {
            on.insert(record.id);
          }
        }
        shelf_->setPlugins(std::move(on));
        routes_->refresh();
      });
    }
    return routes_->attach(*server.value());
  }

  void stop() override {
    changes_.reset();
    routes_.reset();
  }

 private:
  // Jobs on workers may still use these after stop().
  std::optional<themes::ThemeChoices> choices_;
  std::optional<themes::ThemeShelf> shelf_;
  std::optional<themes::ThemeRoutes> routes_;
  Handle changes_;
};

constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId), Requirement(storage::IServiceSettings::kId),
    Requirement(plugins::IPluginAssets::kId, true), Requirement(plugins::IPluginManager::kId, true),
    Requirement(realtime::IRealtimeHub::kId, true)};

}  // namespace

SVC_MODULE(ThemesModule, "themes", "0.43.0", std::span<const ServiceId>{}, kRequires,
           std::span<const ConfigKey>{});
