#include "sqlite_service_settings.h"

#include "blocking.h"

namespace svc::storage {

Result<std::optional<std::string>> SqliteServiceSettings::get(const std::string& key) {
  return runBlocking(thread_, Access::kRead, [this, key]() -> Result<std::optional<std::string>> {
    return table_.get(key);
  });
}

Status SqliteServiceSettings::set(const std::string& key, const std::string& value) {
  if (key.empty()) {
    return noServiceSettingKey();
  }
  return runBlocking(thread_, Access::kWrite, [this, key, value]() -> Status {
    return table_.set(key, value, clock_.nowMs()), Status{};
  });
}

}  // namespace svc::storage
