#pragma once

#include <string>
#include <string_view>

#include "svc/kernel/completion.h"
#include "svc/kernel/service_id.h"

namespace svc::updates {

/// Sees the steps of updates and rollbacks pass: what another module offers to watch, delay or interrupt them. Asked on
/// the main thread, before the step begins; the update goes on when `proceed` fires, whatever it says.
class IUpdateObserver {
 public:
  static constexpr ServiceId kId{"svc.updates.Observer", 1};
  virtual ~IUpdateObserver() = default;
  /// `step`: "read", "resolve", "take turn", … as UpdateRun names them.
  virtual void before(const std::string& plugin_id, std::string_view step,
                      Completion<void> proceed) = 0;
};

}  // namespace svc::updates
