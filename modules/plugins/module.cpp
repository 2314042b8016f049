#include "svc/kernel/module.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include "svc/http/http.h"
#include "svc/http/ready_problem.h"
#include "svc/kernel/config_changes.h"
#include "svc/kernel/config_rules.h"
#include "svc/kernel/log_filters.h"

#include "config_rules.h"
#include "memory_budget.h"
#include "meter_book.h"
#include "plugin_manager.h"
#include "settings_service.h"
#include "source_watch.h"
#include "usage_report.h"

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
    auto meters = context.services.require<storage::IPluginMeterStore>();
    if (!meters) {
      return std::move(meters).error();
    }
    auto kv = context.services.require<storage::IKeyValueStore>();
    if (!kv) {
      return std::move(kv).error();
    }
    auto threads = context.services.require<storage::IThreadStore>();
    if (!threads) {
      return std::move(threads).error();
    }
    auto plugin_settings = context.services.require<storage::ISettingsStore>();
    if (!plugin_settings) {
      return std::move(plugin_settings).error();
    }
    auto service_settings = context.services.require<storage::IServiceSettings>();
    if (!service_settings) {
      return std::move(service_settings).error();
    }
    auto schedule_rows = context.services.require<storage::IScheduleStore>();
    if (!schedule_rows) {
      return std::move(schedule_rows).error();
    }
    auto zone = findZone(context.config.getString("timezone"));
    if (!zone) {
      return std::move(zone).error();
    }
    loaded_ = std::make_shared<LoadedMap>();
    logs_ = std::make_shared<PluginLogs>(context.workers, context.clock,
                                         context.paths.data / "plugins", context.log);
    assets_ = std::make_shared<AssetShelf>();
    usage_ = std::make_unique<UsageReport>(loaded_);
    api_ = std::make_unique<PluginApi>();
    if (auto* filters = context.services.optional<ILogFilters>()) {
      log_filter_ = filters->add(
          [logs = logs_](std::string line) { return logs->mask().apply(std::move(line)); });
    }
    settings_ = std::make_unique<SettingsService>(context.main, loaded_);
    waiting_ = std::make_shared<http::ReadyProblem>(context.services.optional<http::IHealth>(),
                                                    "schedules");
    schedules_ = std::make_shared<Scheduler>(Scheduler::Context{
        context.main, context.workers, context.clock, *schedule_rows.value(), loaded_, context.log,
        std::move(zone).value(),
        [problem = waiting_](std::string what) { problem->set(std::move(what)); }});
    if (auto status = schedules_->open(); !status) {
      return status;
    }
    const Collaborators with{
        context.main,
        context.workers,
        context.clock,
        *runtime.value(),
        *store.value(),
        *kv.value(),
        *threads.value(),
        *plugin_settings.value(),
        *api_,
        loaded_,
        logs_,
        assets_,
        context.log,
        std::make_shared<SafeMode>(*service_settings.value(), context.workers, context.main),
        schedules_};
    manager_ = PluginManager::create(with, readSettings(context));
    if (auto status = manager_->open(); !status) {
      return status;
    }
    meters_ = std::make_shared<MeterBook>(
        MeterBook::Parts{context.main, context.workers, *meters.value(), loaded_, context.log});
    if (auto status = meters_->open(); !status) {
      return status;
    }
    memory_ = std::make_shared<MemoryBudget>(MemoryBudget::Surroundings{
        context.main, [usage = usage_.get()] { return usage->usage(); },
        [manager = std::weak_ptr(manager_)](const std::string& plugin_id, const std::string& why) {
          const auto alive = manager.lock();
          return alive && alive->endForMemory(plugin_id, why);
        }});
    boundMemory(context.config);
    if (auto* health = context.services.optional<http::IHealth>()) {
      ready_report_ =
          health->contribute({"plugins", [loaded = loaded_] { return statusesJson(*loaded); }});
    }
    followConfig(context.services, context.log);
    watchSources(context);
    return offer(context.services);
  }

  void ready(Completion<void> done) override { manager_->loadAll(kStartPatience, std::move(done)); }
  void drain(Completion<void> done) override {
    sources_.reset();
    memory_.reset();
    manager_->shutdown(std::move(done));
  }
  void stop() override {
    sources_.reset();
    memory_.reset();
    followed_zone_.reset();
    followed_limits_.reset();
    ready_report_.reset();
    log_filter_.reset();
    if (manager_) {
      manager_->close();
      manager_.reset();
    }
    if (meters_) {
      meters_->close();
      meters_.reset();
    }
    if (schedules_) {
      schedules_->close();
    }
    if (logs_) {
      logs_->flush();
    }
  }

 private:
  static void readLimits(const IConfig& config, ManagerSettings& settings) {
    settings.heap_mib = config.getInteger("plugins.heapMiB");
    settings.buffer_mib = config.getInteger("plugins.bufferMiB");
    settings.watchdog = std::chrono::milliseconds{config.getInteger("plugins.watchdogMs")};
    settings.terminate = std::chrono::milliseconds{config.getInteger("plugins.terminateMs")};
    settings.worker_threads = config.getInteger("plugins.workerThreads");
    settings.descriptors = config.getInteger("plugins.descriptors");
    settings.database_mib = config.getInteger("plugins.databaseMiB");
    if (auto overrides = common::Json::parse(config.getJson("plugins.overrides")); overrides) {
      settings.overrides = std::move(overrides).value();
    }
  }

  void boundMemory(const IConfig& config) {
    constexpr std::uint64_t kMiB = 1024UL * 1024;
    memory_->setLimit(static_cast<std::uint64_t>(config.getInteger("plugins.totalMiB")) * kMiB);
  }

  /// Loads that follow a change wait behind the first ones.
  void watchSources(const ModuleContext& context) {
    sources_ = std::make_unique<SourceWatch>(SourceWatch::Options{
        .directory = context.paths.share / "builtin",
        .changed =
            [manager = std::weak_ptr(manager_)](std::set<std::string> names) {
              if (const auto alive = manager.lock()) {
                alive->sourcesChanged(std::move(names));
              }
            },
        .warn = [log = context.log](const std::string& message) { log->warn(message); }});
  }

  void followConfig(ServiceRegistry& services, std::shared_ptr<spdlog::logger> log) {
    auto* changes = services.optional<IConfigChanges>();
    if (changes == nullptr) {
      return;
    }
    followed_limits_ = changes->add(
        {.keys = {"plugins.heapMiB", "plugins.bufferMiB", "plugins.totalMiB", "plugins.watchdogMs",
                  "plugins.terminateMs", "plugins.workerThreads", "plugins.descriptors",
                  "plugins.databaseMiB", "plugins.overrides", "appUrl"},
         .apply = [this](const IConfig& now) {
           ManagerSettings settings;
           readLimits(now, settings);
           manager_->setLimits(settings);
           if (memory_) {
             boundMemory(now);
           }
         }});
    followed_zone_ = changes->add(
        {.keys = {"timezone"}, .apply = [this, log = std::move(log)](const IConfig& now) {
           // The rules have seen it, but the system's database may change at any time.
           if (auto zone = findZone(now.getString("timezone"))) {
             schedules_->setZone(std::move(zone).value());
           } else {
             log->warn("schedules stay in {}: {}", schedules_->timezone(), zone.error().message);
           }
         }});
  }

  static ManagerSettings readSettings(const ModuleContext& context) {
    ManagerSettings settings;
    settings.data = context.paths.data;
    settings.bin = context.paths.bin;
    settings.builtin = BuiltinPlugins(context.paths.share / "builtin");
    if (auto wanted = common::Json::parse(context.config.getJson("plugins.builtin")); wanted) {
      settings.wanted_builtin = std::move(wanted).value();
    }
    readLimits(context.config, settings);
    if (auto* server = context.services.optional<http::IHttpServer>()) {
      settings.base_url = [server] { return server->baseUrl(); };
    }
    settings.app_url = [&config = context.config] { return config.getString("appUrl"); };
    settings.safe_mode = context.config.getBoolean("safeMode");
    const auto loads = context.config.getInteger("plugins.parallelLoads");
    settings.parallel_loads = loads > 0 ? static_cast<std::size_t>(loads)
                                        : std::max(1U, std::thread::hardware_concurrency());
    return settings;
  }

  Status offer(ServiceRegistry& services) {
    constexpr std::string_view kName = "plugins";
    for (auto status : {services.provide<ILoadedPlugins>(*loaded_, kName),
                        services.provide<IPluginApi>(*api_, kName),
                        services.provide<IPluginManager>(*manager_, kName),
                        services.provide<IManagedPlugins>(*manager_, kName),
                        services.provide<IPluginUpdates>(*manager_, kName),
                        services.provide<IPluginLogs>(*logs_, kName),
                        services.provide<IPluginUsage>(*usage_, kName),
                        services.provide<ISchedules>(*schedules_, kName),
                        services.provide<IPluginSettings>(*settings_, kName),
                        services.provide<IPluginAssets>(*assets_, kName),
                        services.provide<ISecretMask>(logs_->mask(), kName)}) {
      if (!status) {
        return status;
      }
    }
    return {};
  }

  std::shared_ptr<LoadedMap> loaded_;
  std::shared_ptr<PluginLogs> logs_;
  std::shared_ptr<AssetShelf> assets_;
  std::unique_ptr<UsageReport> usage_;
  std::unique_ptr<PluginApi> api_;
  std::shared_ptr<http::ReadyProblem> waiting_;
  std::shared_ptr<Scheduler> schedules_;
  std::unique_ptr<SettingsService> settings_;
  std::shared_ptr<PluginManager> manager_;
  std::shared_ptr<MeterBook> meters_;
  std::shared_ptr<MemoryBudget> memory_;
  std::unique_ptr<SourceWatch> sources_;
  Handle ready_report_;
  Handle log_filter_;
  Handle followed_limits_;
  Handle followed_zone_;
};

constexpr std::array kProvides{IPluginUsage::kId,    ILoadedPlugins::kId, IPluginApi::kId,
                               IPluginManager::kId,  ISchedules::kId,     IPluginLogs::kId,
                               IPluginSettings::kId, IPluginAssets::kId,  ISecretMask::kId,
                               IManagedPlugins::kId, IPluginUpdates::kId};
constexpr std::array kRequires{
    Requirement(script::IScriptRuntime::kId),     Requirement(storage::IPluginStore::kId),
    Requirement(storage::IPluginMeterStore::kId), Requirement(storage::IKeyValueStore::kId),
    Requirement(storage::ISettingsStore::kId),    Requirement(storage::IServiceSettings::kId),
    Requirement(storage::IScheduleStore::kId),    Requirement(storage::IThreadStore::kId),
    Requirement(http::IHealth::kId, true),        Requirement(http::IHttpServer::kId, true)};
constexpr auto* kPatience = config_rules::integer<kLeastPatienceMs, kMostPatienceMs>;
constexpr std::array kConfig{
    // The module http declares it too, but need not be there.
    ConfigKey{"appUrl", ConfigType::kString, "",
              "public address of the app window; its origin is allowed, its path is the base path"},
    ConfigKey{"safeMode", ConfigType::kBoolean, "false",
              "turn safe mode on at start: only bundled plugins are loaded"},
    ConfigKey{"timezone", ConfigType::kString, "",
              "IANA time zone of schedules, such as Europe/Berlin (default: the system's)",
              isTimeZone},
    ConfigKey{"plugins.builtin", ConfigType::kJson, "false",
              "bundled plugins that are there from the first start: true for all of them, or an "
              "array of their names",
              areBuiltins},
    ConfigKey{"plugins.heapMiB", ConfigType::kInteger, "512",
              "JavaScript heap of one plugin, in MiB",
              config_rules::integer<kLeastHeapMiB, kMostHeapMiB>},
    ConfigKey{"plugins.bufferMiB", ConfigType::kInteger, "0",
              "Buffers of one plugin beside its heap, in MiB; 0: twice plugins.heapMiB",
              config_rules::integer<kLeastBufferMiB, kMostHeapMiB>},
    ConfigKey{"plugins.totalMiB", ConfigType::kInteger, "0",
              "what all plugins may hold together, in MiB: above it the one that holds most is "
              "ended; 0: no limit",
              config_rules::integer<kLeastTotalMiB, kMostHeapMiB>},
    ConfigKey{"plugins.parallelLoads", ConfigType::kInteger, "0",
              "how many plugins are loaded at once at start; 0: one for each core",
              config_rules::integer<kLeastParallelLoads, kMostParallelLoads>},
    ConfigKey{"plugins.watchdogMs", ConfigType::kInteger, "10000",
              "report a plugin whose event loop has not answered for this long", kPatience},
    ConfigKey{"plugins.terminateMs", ConfigType::kInteger, "30000",
              "end a plugin whose event loop has not answered for this long", kPatience},
    ConfigKey{"plugins.workerThreads", ConfigType::kInteger, "64",
              "most worker threads of one plugin at a time",
              config_rules::integer<kLeastWorkerThreads, kMostWorkerThreads>},
    ConfigKey{"plugins.descriptors", ConfigType::kInteger, "1024",
              "most files, sockets and pipes that one plugin has open at a time",
              config_rules::integer<kLeastDescriptors, kMostDescriptors>},
    ConfigKey{"plugins.databaseMiB", ConfigType::kInteger, "256",
              "what SQLite may hold for the databases of one plugin, in MiB",
              config_rules::integer<kLeastDatabaseMiB, kMostDatabaseMiB>},
    ConfigKey{"plugins.overrides.*", ConfigType::kJson, "",
              "heapMiB, bufferMiB, watchdogMs, terminateMs, workerThreads, descriptors and "
              "databaseMiB of "
              "single plugins, by plugin id",
              areOverrides}};

}  // namespace
}  // namespace svc::plugins

SVC_MODULE(svc::plugins::PluginsModule, "plugins", "0.43.0", svc::plugins::kProvides,
           svc::plugins::kRequires, svc::plugins::kConfig);
