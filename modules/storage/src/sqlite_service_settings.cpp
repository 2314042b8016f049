#include "sqlite_service_settings.h"

#include "blocking.h"

namespace svc::storage {

Result<std::optional<std::string>> SqliteServiceSettings::get(const std::string& key) {
  return runBlocking(threads_, Access::kRead,
                     [this, key](Side side) -> Result<std::optional<std::string>> {
                       return table_.on(side).get(key);
                     });
}

Status SqliteServiceSettings::set(const std::string& key, const std::string& value) {
  if (key.empty()) {
    return noServiceSettingKey();
  }
  return runBlocking(threads_, Access::kWrite, [this, key, value](Side side) -> Status {
    return table_.on(side).set(key, value, clock_.nowMs()), Status{};
  });
}

}  // namespace svc::storage
