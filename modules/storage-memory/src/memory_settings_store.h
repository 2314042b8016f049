#pragma once

#include <map>
#include <mutex>
#include <string>

#include "svc/storage/settings_store.h"

namespace svc::storage_memory {

/// Keeps saved settings for as long as the object lives. Thread-safe.
class MemorySettingsStore final : public storage::ISettingsStore {
 public:
  [[nodiscard]] Result<std::map<std::string, common::RawJson>> load(
      const std::string& plugin_id) override;
  [[nodiscard]] Status apply(const std::string& plugin_id,
                             const std::vector<storage::SettingChange>& changes) override;
  void clear(const std::string& plugin_id);
  void replaceAll(const std::string& plugin_id, std::map<std::string, common::RawJson> values);

 private:
  std::mutex mutex_;
  std::map<std::string, std::map<std::string, common::RawJson>> values_;
};

}  // namespace svc::storage_memory
