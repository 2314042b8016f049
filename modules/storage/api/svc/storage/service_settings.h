#pragma once

#include <optional>
#include <string>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

/// Durable settings of the service itself, by name: few and small. Thread-safe. Every call blocks until the answer is
/// durable, so it is never made from the io thread or a script thread.
class IServiceSettings {
 public:
  static constexpr ServiceId kId{"svc.storage.ServiceSettings", 1};
  virtual ~IServiceSettings() = default;

  [[nodiscard]] virtual Result<std::optional<std::string>> get(const std::string& key) = 0;
  /// Inserts or replaces. `invalid_argument` for an empty key.
  [[nodiscard]] virtual Status set(const std::string& key, const std::string& value) = 0;
};

/// What every implementation answers to an empty key.
[[nodiscard]] inline Error noServiceSettingKey() {
  return {errc::kInvalidArgument, "the key of a service setting must not be empty"};
}

}  // namespace svc::storage
