#pragma once

#include <functional>
#include <string>

#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"
#include "svc/mcp/sources.h"

namespace svc::mcp {

struct ThreadToken {
  /// What the client sends as `Authorization: Bearer …`.
  std::string secret;
  /// The token works until this is let go, which ends the calls and streams that are open with it.
  Handle handle;
  /// Aborts the calls that are open with it; detached ones, whose results would come to the thread later, only with `all`. Any thread.
  std::function<void(bool all)> abort_calls;
};

/// Bearer tokens that say which thread a client belongs to. They are kept in memory only: who needs one after a restart mints another.
class IThreadTokens {
 public:
  static constexpr ServiceId kId{"svc.mcp.ThreadTokens", 1};
  virtual ~IThreadTokens() = default;
  /// A token whose requests come from this caller, whatever they say themselves. Any thread; so may the handle be.
  [[nodiscard]] virtual ThreadToken mint(Caller caller) = 0;
};

}  // namespace svc::mcp
