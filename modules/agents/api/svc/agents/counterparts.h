#pragma once

#include <functional>
#include <string>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::agents {

/// Who acts on what plugins register. A registration that nobody acts on is accepted, and listed in `unsupported[]` of the plugin's record.
/// Thread-safe.
class ICounterparts {
 public:
  static constexpr ServiceId kId{"svc.agents.Counterparts", 1};
  virtual ~ICounterparts() = default;
  /// Members as `unsupported[]` names them: "agents.configure", `events.on("thread.created")`. For plugins that load while the handle lives:
  /// modules call it in their start().
  [[nodiscard]] virtual Handle serve(std::vector<std::string> members) = 0;
  /// Who says which ids of agents no plugin may declare. Asked on any thread, while the handle lives; at most one.
  using Taken = std::function<bool(const std::string& provider_id)>;
  [[nodiscard]] virtual Handle reserve(Taken taken) = 0;
};

}  // namespace svc::agents
