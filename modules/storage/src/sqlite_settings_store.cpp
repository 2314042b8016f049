#include "sqlite_settings_store.h"

#include "svc/storage/setting_limits.h"

#include "blocking.h"

namespace svc::storage {

Result<std::map<std::string, common::RawJson>> SqliteSettingsStore::load(
    const std::string& plugin_id) {
  // A map inside of the outcome makes GCC 14 warn of the move of an error that is not there.
  std::map<std::string, common::RawJson> settings;
  const auto read =
      runBlocking(threads_, Access::kRead, [this, &settings, &plugin_id](Side side) -> Status {
        settings = table_.on(side).load(plugin_id);
        return {};
      });
  if (!read) {
    return read.error();
  }
  return settings;
}

Status SqliteSettingsStore::apply(const std::string& plugin_id,
                                  const std::vector<SettingChange>& changes) {
  if (auto valid = checkSettings(plugin_id, changes); !valid) {
    return valid;
  }
  return runBlocking(threads_, Access::kWrite, [this, plugin_id, changes](Side side) -> Status {
    return table_.on(side).apply(plugin_id, changes, clock_.nowMs()), Status{};
  });
}

}  // namespace svc::storage
