#pragma once

#include <map>
#include <string>

#include "svc/kernel/result.h"
#include "svc/kernel/service_id.h"

namespace svc::storage {

/// Statistics of plugins, as texts that the plugin manager knows. They belong to the plugin's row and end with it; whoever puts the row
/// (IPluginStore) leaves them alone. Thread-safe. Every call blocks until the answer is durable, so it is never made from the io thread
/// or a script thread.
class IPluginMeterStore {
 public:
  static constexpr ServiceId kId{"svc.storage.PluginMeterStore", 1};
  virtual ~IPluginMeterStore() = default;

  /// By id; plugins that have none are not in it.
  [[nodiscard]] virtual Result<std::map<std::string, std::string>> meters() = 0;
  /// Replaces those of these plugins, in one step. Ids without a row are left out.
  [[nodiscard]] virtual Status putMeters(const std::map<std::string, std::string>& texts) = 0;
};

}  // namespace svc::storage
