#pragma once

#include <functional>
#include <stop_token>

#include "svc/base/fd.h"

namespace svc::base {

/// A stop token for those who wait with poll(): readable once the stop is requested.
class StopEvent {
 public:
  explicit StopEvent(const std::stop_token& stop);
  [[nodiscard]] int descriptor() const { return event_.get(); }

 private:
  Fd event_;
  /// Goes before what it writes to.
  std::stop_callback<std::function<void()>> on_stop_;
};

}  // namespace svc::base
