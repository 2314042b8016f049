#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "svc/storage/service_settings.h"

namespace svc::storage_memory {

/// Keeps settings of the service for as long as the object lives. Thread-safe.
class MemoryServiceSettings final : public storage::IServiceSettings {
 public:
  [[nodiscard]] Result<std::optional<std::string>> get(const std::string& key) override;
  [[nodiscard]] Status set(const std::string& key, const std::string& value) override;

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> values_;
};

}  // namespace svc::storage_memory
