#pragma once

#include <functional>
#include <string>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::realtime {

/// Tells open windows that a record changed. Thread-safe and quick; nothing is stored or replayed.
class IRealtimeHub {
 public:
  static constexpr ServiceId kId{"svc.realtime.Hub", 1};
  virtual ~IRealtimeHub() = default;
  /// Sends `changed {entity, id?, changes}` to the sockets subscribed to `<entity>-list` ("system" for the entity
  /// "system") or to `<entity>-detail` with this id. An empty id stands for the list as a whole.
  virtual void changed(std::string entity, std::string id, std::vector<std::string> changes) = 0;

  /// Called with every change that is handed in, on the thread that does it, window or not. Quick.
  using ChangeListener = std::function<void(const std::string& entity, const std::string& id,
                                            const std::vector<std::string>& changes)>;
  [[nodiscard]] virtual Handle onChanged(ChangeListener listener) = 0;
};

}  // namespace svc::realtime
