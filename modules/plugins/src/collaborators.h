#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <spdlog/logger.h>

#include "svc/base/random.h"
#include "svc/common/json.h"
#include "svc/common/limits/plugins.h"
#include "svc/jsruntime/script_runtime.h"
#include "svc/kernel/executor.h"
#include "svc/storage/key_value_store.h"
#include "svc/storage/plugin_store.h"
#include "svc/storage/settings_store.h"
#include "svc/storage/thread_store.h"

#include "asset_shelf.h"
#include "builtin_plugins.h"
#include "loaded_map.h"
#include "plugin_api.h"
#include "plugin_logs.h"
#include "safe_mode.h"
#include "scheduler.h"

namespace svc::plugins {

struct ManagerSettings {
  std::filesystem::path data;
  std::filesystem::path bin;
  std::int64_t heap_mib = limits::kPluginHeapMiB;
  /// 0: as the heap suggests.
  std::int64_t buffer_mib = 0;
  std::chrono::milliseconds watchdog = limits::kWatchdog;
  std::chrono::milliseconds terminate = limits::kTerminate;
  /// Of one load, at a time.
  std::int64_t worker_threads = limits::kPluginWorkerThreads;
  std::int64_t descriptors = limits::kPluginDescriptors;
  std::int64_t database_mib = limits::kPluginDatabaseMiB;
  /// Object: plugin id → { heapMiB?, bufferMiB?, watchdogMs?, terminateMs?, workerThreads?, descriptors?, databaseMiB? }.
  common::Json overrides = common::Json::object();
  /// Address of this server, empty before it listens. Any thread.
  std::function<std::string()> base_url = [] { return std::string(); };
  /// Public address of the app window; empty when there is none. Any thread.
  std::function<std::string()> app_url = [] { return std::string(); };
  /// A share in [0, 1) of the jitter of every backoff.
  std::function<double()> random = base::randomShare;
  std::size_t parallel_loads = 1;
  BuiltinPlugins builtin{};
  /// Which of them are there without anybody installing them: a boolean, or an array of names.
  common::Json wanted_builtin = false;
  /// Turns safe mode on when the manager opens.
  bool safe_mode = false;

  [[nodiscard]] std::filesystem::path pluginDirectory(const std::string& plugin_id) const {
    return data / "plugins" / plugin_id;
  }
};

/// What the manager works with. References outlive it.
struct Collaborators {
  IMainExecutor& main;
  IWorkerPool& workers;
  const IClock& clock;
  script::IScriptRuntime& runtime;
  storage::IPluginStore& store;
  storage::IKeyValueStore& kv;
  storage::IThreadStore& threads;
  storage::ISettingsStore& settings;
  PluginApi& api;
  std::shared_ptr<LoadedMap> loaded;
  std::shared_ptr<PluginLogs> logs;
  std::shared_ptr<AssetShelf> assets;
  std::shared_ptr<spdlog::logger> log;
  std::shared_ptr<SafeMode> safe_mode;
  std::shared_ptr<Scheduler> schedules;
};

}  // namespace svc::plugins
