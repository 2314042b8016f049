#include "sqlite_store.h"

#include "sqlite_failure.h"

namespace svc::storage {

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const SqliteStoreOptions& options,
                                                       const IClock& clock,
                                                       std::shared_ptr<spdlog::logger> log) {
  auto database = Database::open(options.file);
  if (!database) {
    return database.error();
  }
  if (auto migrated = migrate(*database.value(), options.migrations, options.backups, clock);
      !migrated) {
    return migrated.error();
  }
  return noThrow([&]() -> Result<std::unique_ptr<SqliteStore>> {
    return std::make_unique<SqliteStore>(std::move(database).value(), options.limits, clock,
                                         std::move(log));
  });
}

SqliteStore::SqliteStore(std::unique_ptr<Database> database, StoreLimits limits,
                         const IClock& clock, std::shared_ptr<spdlog::logger> log)
    : database_(std::move(database)),
      kv_table_(*database_),
      plugin_table_(*database_),
      settings_table_(*database_),
      service_settings_table_(*database_),
      schedule_table_(*database_),
      install_tables_(*database_),
      snapshot_table_(*database_),
      host_tables_(*database_),
      thread_(*database_, limits, std::move(log)),
      key_values_(kv_table_, thread_, clock),
      plugins_(plugin_table_, thread_),
      settings_(settings_table_, thread_, clock),
      service_settings_(service_settings_table_, thread_, clock),
      schedules_(schedule_table_, thread_),
      installs_(install_tables_, thread_),
      snapshots_(snapshot_table_, plugin_table_, thread_),
      hosts_(host_tables_, thread_) {}

}  // namespace svc::storage
