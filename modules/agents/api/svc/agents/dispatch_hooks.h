#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::agents {

struct DispatchDecision {
  enum class Kind : std::uint8_t { kProceed, kWait, kReject };
  Kind kind = Kind::kProceed;
  std::string plugin_id;  ///< who decided; empty for kProceed
  std::string text;       ///< the reason of a wait, the message of a reject
  std::optional<std::int64_t> send_at{};
};

/// The hook "message.dispatch" of every loaded plugin. Main thread.
class IDispatchHooks {
 public:
  static constexpr ServiceId kId{"svc.agents.DispatchHooks", 1};
  virtual ~IDispatchHooks() = default;
  /// Asks one plugin after the other in the order of their ids, each for at most lim.hookDecision. The first reject ends it,
  /// else the first wait counts. A hook that throws or takes too long rejects and names its plugin. Fires on the main thread.
  virtual void decide(common::RawJson context, Completion<DispatchDecision> done) = 0;
  /// Called on the main thread when a plugin wants the rows that wait on it looked at again.
  [[nodiscard]] virtual Handle onRecheck(
      std::function<void(const std::string& plugin_id)> listener) = 0;
};

}  // namespace svc::agents
