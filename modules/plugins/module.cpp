#include "svc/kernel/module.h"

#include <algorithm>
#include <memory>
#include <thread>

#include "svc/http/http.h"

#include "plugin_manager.h"

namespace svc::plugins {
namespace {

using namespace std::chrono_literals;

/// How long the start of the server waits for plugins: one that hangs does not hold it.
constexpr std::chrono::milliseconds kStartPatience = 2s;

std::string statusesJson(const LoadedMap& loaded) {
  auto out = common::Json::array();
  for (const auto& [id, status] : loaded.statuses()) {
    out.push(common::Json::object().set("id", id).set("status", statusName(status)));
  }
  return out.dump();
}

class PluginsModule final : public Module {
 public:
  Status start(ModuleContext& context) override {
    auto runtime = context.services.require<script::IScriptRuntime>();
    if (!runtime) {
      return std::move(runtime).error();
    }
    auto store = context.services.require<storage::IPluginStore>();
    if (!store) {
      return std::move(store).error();
    }
    auto kv = context.services.require<storage::IKeyValueStore>();
    if (!kv) {
      return std::move(kv).error();
    }
    loaded_ = std::make_shared<LoadedMap>();
    logs_ = std::make_shared<PluginLogs>(context.workers, context.clock,
                                         context.paths.data / "plugins", context.log);
    api_ = std::make_unique<PluginApi>();
    const Collaborators with{context.main,   context.workers, context.clock, *runtime.value(),
                             *store.value(), *kv.value(),     *api_,         loaded_,
                             logs_,          context.log};
    manager_ = PluginManager::create(with, readSettings(context));
    if (auto status = manager_->open(); !status) {
      return status;
    }
    if (auto* health = context.services.optional<http::IHealth>()) {
      ready_report_ =
          health->contribute({"plugins", [loaded = loaded_] { return statusesJson(*loaded); }});
    }
    return offer(context.services);
  }

  void ready(Completion<void> done) override { manager_->loadAll(kStartPatience, std::move(done)); }
  void drain(Completion<void> done) override { manager_->shutdown(std::move(done)); }
  void stop() override {
    ready_report_.reset();
    if (manager_) {
      manager_->close();
      manager_.reset();
    }
    if (logs_) {
      logs_->flush();
    }
  }

 private:
  static ManagerSettings readSettings(const ModuleContext& context) {
    ManagerSettings settings;
    settings.data = context.paths.data;
    settings.bin = context.paths.bin;
    settings.heap_mib = context.config.getInteger("plugins.heapMiB");
    settings.watchdog = std::chrono::milliseconds{context.config.getInteger("plugins.watchdogMs")};
    settings.terminate =
        std::chrono::milliseconds{context.config.getInteger("plugins.terminateMs")};
    if (auto overrides = common::Json::parse(context.config.getJson("plugins.overrides"));
        overrides) {
      settings.overrides = std::move(overrides).value();
    }
    if (auto* server = context.services.optional<http::IHttpServer>()) {
      settings.base_url = [server] { return server->baseUrl(); };
    }
    settings.parallel_loads = std::max(1U, std::thread::hardware_concurrency());
    return settings;
  }

  Status offer(ServiceRegistry& services) {
    constexpr std::string_view kName = "plugins";
    for (auto status : {services.provide<ILoadedPlugins>(*loaded_, kName),
                        services.provide<IPluginApi>(*api_, kName),
                        services.provide<IPluginManager>(*manager_, kName),
                        services.provide<IPluginLogs>(*logs_, kName)}) {
      if (!status) {
        return status;
      }
    }
    return {};
  }

  std::shared_ptr<LoadedMap> loaded_;
  std::shared_ptr<PluginLogs> logs_;
  std::unique_ptr<PluginApi> api_;
  std::shared_ptr<PluginManager> manager_;
  Handle ready_report_;
};

constexpr std::array kProvides{ILoadedPlugins::kId, IPluginApi::kId, IPluginManager::kId,
                               IPluginLogs::kId};
constexpr std::array kRequires{
    Requirement(script::IScriptRuntime::kId), Requirement(storage::IPluginStore::kId),
    Requirement(storage::IKeyValueStore::kId), Requirement(http::IHealth::kId, true),
    Requirement(http::IHttpServer::kId, true)};
constexpr std::array kConfig{
    ConfigKey{"plugins.heapMiB", ConfigType::kInteger, "512",
              "JavaScript heap of one plugin, in MiB"},
    ConfigKey{"plugins.watchdogMs", ConfigType::kInteger, "10000",
              "report a plugin whose event loop has not answered for this long"},
    ConfigKey{"plugins.terminateMs", ConfigType::kInteger, "30000",
              "end a plugin whose event loop has not answered for this long"},
    ConfigKey{"plugins.overrides.*", ConfigType::kJson, "",
              "heapMiB, watchdogMs and terminateMs of single plugins, by plugin id"}};

}  // namespace
}  // namespace svc::plugins

SVC_MODULE(svc::plugins::PluginsModule, "plugins", "0.43.0", svc::plugins::kProvides,
           svc::plugins::kRequires, svc::plugins::kConfig);
