#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

struct SettingChange {
  std::string key;
  std::optional<common::RawJson> value;  ///< nullopt removes the key
};

/// Saved settings of plugins: JSON values by key, secrets excepted. Thread-safe. Every call blocks until the answer is
/// durable, so it is never made from the io thread or a script thread. Removing a plugin's row removes its settings.
class ISettingsStore {
 public:
  static constexpr ServiceId kId{"svc.storage.SettingsStore", 1};
  virtual ~ISettingsStore() = default;

  /// Every saved setting of the plugin.
  [[nodiscard]] virtual Result<std::map<std::string, common::RawJson>> load(
      const std::string& plugin_id) = 0;
  /// All of the changes or, on failure, none. Refused: `invalid_argument` (empty id or key), `too_large`
  /// (lim.settingValue).
  [[nodiscard]] virtual Status apply(const std::string& plugin_id,
                                     const std::vector<SettingChange>& changes) = 0;
};

}  // namespace svc::storage
