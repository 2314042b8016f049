#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include <spdlog/logger.h>

#include "svc/common/json.h"
#include "svc/common/limits.h"
#include "svc/jsruntime/script_runtime.h"
#include "svc/kernel/executor.h"
#include "svc/storage/key_value_store.h"
#include "svc/storage/plugin_store.h"

#include "loaded_map.h"
#include "plugin_api.h"
#include "plugin_logs.h"

namespace svc::plugins {

struct ManagerSettings {
  std::filesystem::path data;
  std::filesystem::path bin;
  std::int64_t heap_mib = limits::kPluginHeapMiB;
  std::chrono::milliseconds watchdog = limits::kWatchdog;
  std::chrono::milliseconds terminate = limits::kTerminate;
  /// Object: plugin id → { heapMiB?, watchdogMs?, terminateMs? }.
  common::Json overrides = common::Json::object();
  /// Address of this server, empty before it listens. Any thread.
  std::function<std::string()> base_url = [] { return std::string(); };
  std::size_t parallel_loads = 1;

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
  PluginApi& api;
  std::shared_ptr<LoadedMap> loaded;
  std::shared_ptr<PluginLogs> logs;
  std::shared_ptr<spdlog::logger> log;
};

}  // namespace svc::plugins
