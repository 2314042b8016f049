#include "svc/kernel/module.h"

#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "svc/http/http.h"
#include "svc/kernel/config_changes.h"
#include "svc/machines/host_registry.h"
#include "svc/plugins/plugins.h"
#include "svc/plugins/schedules.h"
#include "svc/realtime/realtime.h"
#include "svc/threads/threads.h"

#include "change_notices.h"
#include "sdk_part.h"
#include "system_routes.h"

namespace {

using namespace svc;

class SdkClientModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto server = context.services.require<http::IHttpServer>();
    auto loaded = context.services.require<plugins::ILoadedPlugins>();
    auto api = context.services.require<plugins::IPluginApi>();
    auto manager = context.services.require<plugins::IPluginManager>();
    auto schedules = context.services.require<plugins::ISchedules>();
    for (const Error* missing :
         {errorOf(server), errorOf(loaded), errorOf(api), errorOf(manager), errorOf(schedules)}) {
      if (missing != nullptr) {
        return *missing;
      }
    }
    const auto* const machines = context.services.optional<machines::IHostRegistry>();
    const auto host_id = [machines] { return serverHostId(machines); };
    part_ = api.value()->addPart(sdkclient::sdkPart(*server.value(), host_id));
    changes_ = manager.value()->onChanged(
        [&loaded = *loaded.value()](const std::vector<plugins::PluginRecord>&) {
          const common::Json changes(common::Json::Array{"plugins-changed"});
          sdkclient::notifySubscribers(loaded, "system:changed",
                                       common::Json::object().set("changes", changes));
        });
    auto* hub = context.services.optional<realtime::IRealtimeHub>();
    if (hub != nullptr) {
      config_changes_ = hub->onChanged([&loaded = *loaded.value()](const realtime::Change& change) {
        const auto& kinds = change.kinds;
        if (const auto notice = sdkclient::changeNotice(change);
            change.entity != "system" && !notice.isNull()) {
          sdkclient::notifySubscribers(loaded, change.entity + ":changed", notice);
        }
        if (change.entity == "system" &&
            std::find(kinds.begin(), kinds.end(), "config-changed") != kinds.end()) {
          sdkclient::notifySubscribers(
              loaded, "system:config-changed",
              common::Json::object().set("changes",
                                         common::Json(common::Json::Array{"config-changed"})));
        }
      });
    }
    auto* config = context.services.optional<IConfigChanges>();
    if (hub != nullptr && config != nullptr) {
      applied_ = config->onApplied(
          [hub] { hub->changed({.entity = "system", .kinds = {"config-changed"}}); });
    }
    routes_.emplace(
        *server.value(), *manager.value(),
        sdkclient::SystemFacts{
            .data_dir = context.paths.data.string(),
            .timezone = [&schedules = *schedules.value()] { return schedules.timezone(); },
            .host_id = host_id,
            .has_attention =
                [known = context.services.optional<threads::IThreads>()] {
                  return known != nullptr && known->hasAttention();
                },
            .platform = platform(),
            .source = std::filesystem::exists(context.paths.bin.parent_path() / "CMakeCache.txt")
                          ? "source"
                          : "package",
            .cli_path = std::filesystem::exists(context.paths.bin / "svc")
                            ? (context.paths.bin / "svc").string()
                            : std::string()},
        config, context.log);
    return routes_->attach();
  }

  void stop() override {
    routes_.reset();
    applied_.reset();
    changes_.reset();
    config_changes_.reset();
    part_.reset();
  }

 private:
  template <class T>
  static const Error* errorOf(const Result<T>& result) {
    return result ? nullptr : &result.error();
  }

  static std::string platform() {
    utsname names{};
    return uname(&names) == 0 ? sdkclient::platformName(names.sysname, names.release) : "unknown";
  }

  static std::string serverHostId(const machines::IHostRegistry* registry) {
    if (registry != nullptr) {
      for (const auto& host : registry->list()) {
        if (host.is_server) {
          return host.id;
        }
      }
    }
    return {};
  }

  Handle part_;
  Handle changes_;
  Handle config_changes_;
  Handle applied_;
  std::optional<sdkclient::SystemRoutes> routes_;
};

constexpr std::array kRequires{
    Requirement(http::IHttpServer::kId),
    Requirement(plugins::ILoadedPlugins::kId),
    Requirement(plugins::IPluginApi::kId),
    Requirement(plugins::IPluginManager::kId),
    Requirement(plugins::ISchedules::kId),
    Requirement(realtime::IRealtimeHub::kId, true),
    Requirement(machines::IHostRegistry::kId, true),
    Requirement(threads::IThreads::kId, true),
};

}  // namespace

SVC_MODULE(SdkClientModule, "sdkclient", "0.43.0", std::span<const ServiceId>{}, kRequires,
           std::span<const ConfigKey>{});
