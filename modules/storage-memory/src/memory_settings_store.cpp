#include "memory_settings_store.h"

#include "svc/storage/setting_limits.h"

namespace svc::storage_memory {

Result<std::map<std::string, common::RawJson>> MemorySettingsStore::load(
    const std::string& plugin_id) {
  const std::lock_guard lock(mutex_);
  const auto found = values_.find(plugin_id);
  return found == values_.end() ? std::map<std::string, common::RawJson>() : found->second;
}

Status MemorySettingsStore::apply(const std::string& plugin_id,
                                  const std::vector<storage::SettingChange>& changes) {
  if (auto valid = storage::checkSettings(plugin_id, changes); !valid) {
    return valid;
  }
  const std::lock_guard lock(mutex_);
  auto& values = values_[plugin_id];
  for (const auto& [key, value] : changes) {
    if (value) {
      values.insert_or_assign(key, *value);
    } else {
      values.erase(key);
    }
  }
  return {};
}

void MemorySettingsStore::clear(const std::string& plugin_id) {
  const std::lock_guard lock(mutex_);
  values_.erase(plugin_id);
}

void MemorySettingsStore::replaceAll(const std::string& plugin_id,
                                     std::map<std::string, common::RawJson> values) {
  const std::lock_guard lock(mutex_);
  values_[plugin_id] = std::move(values);
}

}  // namespace svc::storage_memory
