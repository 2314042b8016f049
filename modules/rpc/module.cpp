#include "svc/kernel/module.h"

#include <array>
#include <optional>
#include <span>
#include <utility>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"
#include "svc/plugins/schedules.h"

#include "branding_routes.h"
#include "dev_session_routes.h"
#include "inventory_routes.h"
#include "log_route.h"
#include "management_routes.h"
#include "published_route.h"
#include "rpc_part.h"
#include "rpc_route.h"
#include "safe_mode_route.h"
#include "schedule_route.h"
#include "settings_routes.h"

namespace {

using namespace svc;

class RpcModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto reactor = context.services.require<http::IReactor>();
    auto loaded = context.services.require<plugins::ILoadedPlugins>();
    auto api = context.services.require<plugins::IPluginApi>();
    auto manager = context.services.require<plugins::IPluginManager>();
    auto logs = context.services.require<plugins::IPluginLogs>();
    auto settings = context.services.require<plugins::IPluginSettings>();
    auto assets = context.services.require<plugins::IPluginAssets>();
    auto schedules = context.services.require<plugins::ISchedules>();
    for (const Error* missing :
         {errorOf(server), errorOf(reactor), errorOf(loaded), errorOf(api), errorOf(manager),
          errorOf(logs), errorOf(settings), errorOf(assets), errorOf(schedules)}) {
      if (missing != nullptr) {
        return *missing;
      }
    }
    part_ = api.value()->addPart(rpc::rpcPart());
    published_.emplace(*loaded.value());
    calls_.emplace(*loaded.value(), *reactor.value(), context.clock);
    management_.emplace(*manager.value());
    safe_mode_.emplace(*manager.value());
    schedules_.emplace(*schedules.value());
    logs_.emplace(*logs.value(), *reactor.value());
    settings_.emplace(*settings.value());
    branding_.emplace(*assets.value());
    inventory_.emplace(*manager.value(), *logs.value(), *loaded.value());
    if (auto status = calls_->attach(*server.value()); !status) {
      return status;
    }
    if (auto status = published_->attach(*server.value()); !status) {
      return status;
    }
    if (auto status = management_->attach(*server.value()); !status) {
      return status;
    }
    if (auto status = safe_mode_->attach(*server.value()); !status) {
      return status;
    }
    if (auto status = schedules_->attach(*server.value()); !status) {
      return status;
    }
    if (auto status = settings_->attach(*server.value()); !status) {
      return status;
    }
    if (auto status = branding_->attach(*server.value()); !status) {
      return status;
    }
    if (auto status = inventory_->attach(*server.value()); !status) {
      return status;
    }
    dev_sessions_.emplace(*manager.value(), context.main);
    if (auto status = dev_sessions_->attach(*server.value()); !status) {
      return status;
    }
    return logs_->attach(*server.value());
  }

  void stop() override {
    dev_sessions_.reset();
    inventory_.reset();
    branding_.reset();
    settings_.reset();
    logs_.reset();
    schedules_.reset();
    safe_mode_.reset();
    management_.reset();
    calls_.reset();
    published_.reset();
    part_.reset();
  }

 private:
  template <class T>
  static const Error* errorOf(const Result<T>& result) {
    return result ? nullptr : &result.error();
  }

  Handle part_;
  std::optional<rpc::PublishedRoute> published_;
  std::optional<rpc::RpcRoute> calls_;
  std::optional<rpc::ManagementRoutes> management_;
  std::optional<rpc::SafeModeRoute> safe_mode_;
  std::optional<rpc::ScheduleRoute> schedules_;
  std::optional<rpc::LogRoute> logs_;
  std::optional<rpc::SettingsRoutes> settings_;
  std::optional<rpc::BrandingRoutes> branding_;
  std::optional<rpc::InventoryRoutes> inventory_;
  std::optional<rpc::DevSessionRoutes> dev_sessions_;
};

constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),        Requirement(http::IReactor::kId),
    Requirement(plugins::ILoadedPlugins::kId),  Requirement(plugins::IPluginApi::kId),
    Requirement(plugins::IPluginManager::kId),  Requirement(plugins::IPluginLogs::kId),
    Requirement(plugins::IPluginSettings::kId), Requirement(plugins::IPluginAssets::kId),
    Requirement(plugins::ISchedules::kId),
};

}  // namespace

SVC_MODULE(RpcModule, "rpc", "0.43.0", std::span<const ServiceId>{}, kRequires,
           std::span<const ConfigKey>{});
