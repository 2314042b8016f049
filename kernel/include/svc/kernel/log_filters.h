#pragma once

#include <functional>
#include <string>

#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc {

/// What every line of the server's log passes through before it is written anywhere. Provided by the kernel.
/// Thread-safe.
class ILogFilters {
 public:
  static constexpr ServiceId kId{"svc.kernel.LogFilters", 1};
  /// Called on the thread that logs: quick, and without logging.
  using Filter = std::function<std::string(std::string message)>;

  virtual ~ILogFilters() = default;
  /// Filters run in the order added; one is not called any more when its handle is gone.
  [[nodiscard]] virtual Handle add(Filter filter) = 0;
};

}  // namespace svc
