#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <span>

#include <spdlog/logger.h>

#include "database.h"
#include "environment_table.h"
#include "host_tables.h"
#include "install_tables.h"
#include "kv_table.h"
#include "mcp_token_table.h"
#include "migrator.h"
#include "plugin_table.h"
#include "project_tables.h"
#include "schedule_table.h"
#include "service_settings_table.h"
#include "settings_table.h"
#include "snapshot_table.h"
#include "sqlite_environment_store.h"
#include "sqlite_host_store.h"
#include "sqlite_install_store.h"
#include "sqlite_key_value_store.h"
#include "sqlite_mcp_token_store.h"
#include "sqlite_plugin_store.h"
#include "sqlite_project_store.h"
#include "sqlite_schedule_store.h"
#include "sqlite_service_settings.h"
#include "sqlite_settings_store.h"
#include "sqlite_snapshot_store.h"
#include "sqlite_terminal_store.h"
#include "sqlite_thread_store.h"
#include "store_threads.h"
#include "terminal_table.h"
#include "thread_event_table.h"
#include "thread_tables.h"

namespace svc::storage {

struct SqliteStoreOptions {
  /// The names that belong to the store in a data directory.
  [[nodiscard]] static SqliteStoreOptions of(const std::filesystem::path& data) {
    return {.file = data / "svc.db", .backups = data / "backups"};
  }

  std::filesystem::path file;
  std::filesystem::path backups;
  /// The data directory that what the rows name lies in: see adoptDirectory(). Empty: they are left as they are.
  std::filesystem::path home{};
  StoreLimits limits{};
  std::span<const Migration> migrations = coreMigrations();
};

/// The core database with its threads, closed when destroyed: what the module offers.
class SqliteStore {
 public:
  /// Opens or creates the database and brings its schema up to date. Blocks.
  [[nodiscard]] static Result<std::unique_ptr<SqliteStore>> open(
      const SqliteStoreOptions& options, const IClock& clock, std::shared_ptr<spdlog::logger> log);

  /// Both to the same database.
  SqliteStore(std::unique_ptr<Database> writer, std::unique_ptr<Database> reader,
              StoreLimits limits, const IClock& clock, std::shared_ptr<spdlog::logger> log);
  SqliteStore(const SqliteStore&) = delete;
  SqliteStore& operator=(const SqliteStore&) = delete;
  ~SqliteStore() { stop(kStopGrace); }

  [[nodiscard]] IKeyValueStore& keyValues() { return key_values_; }
  [[nodiscard]] IPluginStore& plugins() { return plugins_; }
  [[nodiscard]] IPluginMeterStore& pluginMeters() { return plugins_; }
  [[nodiscard]] ISettingsStore& settings() { return settings_; }
  [[nodiscard]] IScheduleStore& schedules() { return schedules_; }
  [[nodiscard]] IServiceSettings& serviceSettings() { return service_settings_; }
  [[nodiscard]] IInstallStore& installs() { return installs_; }
  [[nodiscard]] ISnapshotStore& snapshots() { return snapshots_; }
  [[nodiscard]] IHostStore& hosts() { return hosts_; }
  [[nodiscard]] IMcpTokenStore& mcpTokens() { return mcp_tokens_; }
  [[nodiscard]] ITerminalStore& terminals() { return terminals_; }
  [[nodiscard]] IEnvironmentStore& environments() { return environments_; }
  [[nodiscard]] IProjectStore& projects() { return projects_; }
  [[nodiscard]] IThreadStore& threads() { return thread_store_; }

  /// See StoreThreads.
  void flush(Completion<void> done) { threads_.flush(std::move(done)); }
  [[nodiscard]] std::string problem() const { return threads_.problem(); }
  void stop(std::chrono::milliseconds grace = kStopGrace) { threads_.stop(grace); }

 private:
  static constexpr std::chrono::seconds kStopGrace{10};

  std::unique_ptr<Database> writer_;
  std::unique_ptr<Database> reader_;
  OnBothSides<KvTable> kv_table_;
  OnBothSides<PluginTable> plugin_table_;
  OnBothSides<SettingsTable> settings_table_;
  OnBothSides<ServiceSettingsTable> service_settings_table_;
  OnBothSides<ScheduleTable> schedule_table_;
  OnBothSides<InstallTables> install_tables_;
  OnBothSides<SnapshotTable> snapshot_table_;
  OnBothSides<HostTables> host_tables_;
  OnBothSides<McpTokenTable> mcp_token_table_;
  OnBothSides<TerminalTable> terminal_table_;
  OnBothSides<EnvironmentTable> environment_table_;
  OnBothSides<ProjectTables> project_tables_;
  OnBothSides<ThreadTables> thread_tables_;
  OnBothSides<ThreadEventTable> thread_event_table_;
  StoreThreads threads_;
  SqliteKeyValueStore key_values_;
  SqlitePluginStore plugins_;
  SqliteSettingsStore settings_;
  SqliteServiceSettings service_settings_;
  SqliteScheduleStore schedules_;
  SqliteInstallStore installs_;
  SqliteSnapshotStore snapshots_;
  SqliteHostStore hosts_;
  SqliteMcpTokenStore mcp_tokens_;
  SqliteTerminalStore terminals_;
  SqliteEnvironmentStore environments_;
  SqliteProjectStore projects_;
  SqliteThreadStore thread_store_;
};

}  // namespace svc::storage
