#pragma once

#include <string>
#include <vector>

#include "svc/kernel/service_id.h"

namespace svc {

struct ModuleState {
  std::string name;
  std::string version;
  /// "loaded", "started", "ready", "draining", "stopped", or "absent" for an optional module that is not there.
  std::string state;
  std::string detail;
};

/// What the kernel knows of its modules, in start order. Thread-safe. Provided by the kernel.
class IModuleStates {
 public:
  static constexpr ServiceId kId{"svc.kernel.ModuleStates", 1};
  virtual ~IModuleStates() = default;
  [[nodiscard]] virtual std::vector<ModuleState> modules() const = 0;
};

}  // namespace svc
