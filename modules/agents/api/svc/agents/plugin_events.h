#pragma once

#include <string_view>

#include "svc/common/json.h"
#include "svc/kernel/service_id.h"

namespace svc::agents {

/// `svc.events` of every loaded plugin. Thread-safe.
class IPluginEvents {
 public:
  static constexpr ServiceId kId{"svc.agents.PluginEvents", 1};
  virtual ~IPluginEvents() = default;
  /// Tells every handler of this event, on a later turn of its own environment; nothing is awaited, stored or replayed.
  /// Handlers see events in the order of the calls, so whoever emits keeps the order of a thread. A handler that fails is
  /// counted and logged in its plugin.
  virtual void emit(std::string_view name, const common::RawJson& payload) = 0;
};

}  // namespace svc::agents
