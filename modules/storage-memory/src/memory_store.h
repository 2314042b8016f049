#pragma once

#include "memory_environment_store.h"
#include "memory_host_store.h"
#include "memory_install_store.h"
#include "memory_key_value_store.h"
#include "memory_mcp_token_store.h"
#include "memory_plugin_store.h"
#include "memory_project_store.h"
#include "memory_schedule_store.h"
#include "memory_service_settings.h"
#include "memory_settings_store.h"
#include "memory_snapshot_store.h"
#include "memory_terminal_store.h"
#include "memory_thread_store.h"

namespace svc::storage_memory {

/// The stores with their thread: what the module offers, and the fake that tests use.
class MemoryStore {
 public:
  explicit MemoryStore(std::size_t request_limit = 65'536) : thread_(request_limit) {}
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;
  ~MemoryStore() { stop(); }

  [[nodiscard]] storage::IKeyValueStore& keyValues() { return key_values_; }
  [[nodiscard]] storage::IPluginStore& plugins() { return plugins_; }
  [[nodiscard]] storage::IPluginMeterStore& pluginMeters() { return plugins_; }
  [[nodiscard]] storage::ISettingsStore& settings() { return settings_; }
  [[nodiscard]] storage::IScheduleStore& schedules() { return schedules_; }
  [[nodiscard]] storage::IServiceSettings& serviceSettings() { return service_settings_; }
  [[nodiscard]] storage::IInstallStore& installs() { return installs_; }
  [[nodiscard]] storage::ISnapshotStore& snapshots() { return snapshots_; }
  [[nodiscard]] storage::IHostStore& hosts() { return hosts_; }
  [[nodiscard]] storage::IMcpTokenStore& mcpTokens() { return mcp_tokens_; }
  [[nodiscard]] storage::ITerminalStore& terminals() { return terminals_; }
  [[nodiscard]] storage::IEnvironmentStore& environments() { return environments_; }
  [[nodiscard]] storage::IProjectStore& projects() { return projects_; }
  [[nodiscard]] storage::IThreadStore& threads() { return threads_; }

  /// See MemoryThread.
  void flush(Completion<void> done) { thread_.flush(std::move(done)); }
  void stop() { thread_.stop(); }

 private:
  MemoryServiceSettings service_settings_;
  MemoryInstallStore installs_;
  MemoryHostStore hosts_;
  MemoryTerminalStore terminals_;
  MemoryEnvironmentStore environments_;
  MemoryProjectStore projects_;
  MemoryThreadStore threads_;
  MemorySettingsStore settings_;
  MemoryScheduleStore schedules_;
  MemoryPluginStore plugins_{settings_, schedules_};
  MemoryThread thread_;
  MemoryKeyValueStore key_values_{thread_};
  MemoryMcpTokenStore mcp_tokens_{thread_};
  MemorySnapshotStore snapshots_{{key_values_, settings_, schedules_, plugins_}};
};

}  // namespace svc::storage_memory
