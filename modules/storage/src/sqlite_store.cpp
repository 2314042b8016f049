#include "sqlite_store.h"

#include "adopted_directory.h"
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
  if (auto adopted =
          options.home.empty() ? Status() : adoptDirectory(*database.value(), options.home);
      !adopted) {
    return std::move(adopted).error();
  }
  auto reader = Database::openReader(options.file);
  if (!reader) {
    return reader.error();
  }
  return noThrow([&]() -> Result<std::unique_ptr<SqliteStore>> {
    return std::make_unique<SqliteStore>(std::move(database).value(), std::move(reader).value(),
                                         options.limits, clock, std::move(log));
  });
}

SqliteStore::SqliteStore(std::unique_ptr<Database> writer, std::unique_ptr<Database> reader,
                         StoreLimits limits, const IClock& clock,
                         std::shared_ptr<spdlog::logger> log)
    : writer_(std::move(writer)),
      reader_(std::move(reader)),
      kv_table_(*writer_, *reader_),
      plugin_table_(*writer_, *reader_),
      settings_table_(*writer_, *reader_),
      service_settings_table_(*writer_, *reader_),
      schedule_table_(*writer_, *reader_),
      install_tables_(*writer_, *reader_),
      snapshot_table_(*writer_, *reader_),
      host_tables_(*writer_, *reader_),
      mcp_token_table_(*writer_, *reader_),
      terminal_table_(*writer_, *reader_),
      environment_table_(*writer_, *reader_),
      project_tables_(*writer_, *reader_),
      thread_tables_(*writer_, *reader_),
      thread_event_table_(*writer_, *reader_),
      threads_(*writer_, *reader_, limits, std::move(log)),
      key_values_(kv_table_, threads_, clock),
      plugins_(plugin_table_, threads_),
      settings_(settings_table_, threads_, clock),
      service_settings_(service_settings_table_, threads_, clock),
      schedules_(schedule_table_, threads_),
      installs_(install_tables_, threads_),
      snapshots_(snapshot_table_, plugin_table_, threads_),
      hosts_(host_tables_, threads_),
      mcp_tokens_(mcp_token_table_, threads_),
      terminals_(terminal_table_, threads_),
      environments_(environment_table_, threads_),
      projects_(project_tables_, threads_),
      thread_store_(thread_tables_, thread_event_table_, threads_) {}

}  // namespace svc::storage
