#pragma once

#include <functional>
#include <string>

#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::mcp {

/// What came of a tool call that its agent was told is still running.
struct LateResult {
  std::string thread_id{};
  std::string tool{};
  std::string text{};  ///< of what it answered, or why it failed
  bool failed = false;
};

/// The results of detached calls of threads, for whoever delivers them.
class ILateResults {
 public:
  static constexpr ServiceId kId{"svc.mcp.LateResults", 1};
  virtual ~ILateResults() = default;
  using Listener = std::function<void(LateResult result)>;
  /// Called on the io thread. At most one listener; without it agents are told that the result is lost. Any thread; the handle too.
  [[nodiscard]] virtual Handle onLateResult(Listener listener) = 0;
};

}  // namespace svc::mcp
