#include "memory_service_settings.h"

namespace svc::storage_memory {

Result<std::optional<std::string>> MemoryServiceSettings::get(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

Status MemoryServiceSettings::set(const std::string& key, const std::string& value) {
  if (key.empty()) {
    return storage::noServiceSettingKey();
  }
  const std::lock_guard lock(mutex_);
  values_.insert_or_assign(key, value);
  return {};
}

}  // namespace svc::storage_memory
