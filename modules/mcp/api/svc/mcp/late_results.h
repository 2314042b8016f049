#pragma once

#include <functional>
#include <string>

#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::mcp {

/// A tool call that its agent was told is still running.
struct LateCall {
  std::string id{};
  std::string thread_id{};
  std::string tool{};
};

/// What came of it.
struct LateResult {
  std::string call_id{};
  std::string thread_id{};
  std::string tool{};
  std::string text{};  ///< of what it answered, or why it failed
  bool failed = false;
  bool dropped = false;  ///< the thread has let its agent go: nobody waits for it
};

/// The results of detached calls of threads, for whoever delivers them.
class ILateResults {
 public:
  static constexpr ServiceId kId{"svc.mcp.LateResults", 1};
  virtual ~ILateResults() = default;
  using Begun = std::function<void(LateCall call)>;
  using Ended = std::function<void(LateResult result)>;
  /// Both are called on the io thread, for each call first one and then, unless the server ends before, the other. At most one
  /// listener; without it agents are told that the result is lost. Any thread; the handle too.
  [[nodiscard]] virtual Handle onLateResult(Begun begun, Ended ended) = 0;
};

}  // namespace svc::mcp
