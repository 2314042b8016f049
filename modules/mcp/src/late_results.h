#pragma once

#include <memory>
#include <mutex>

#include "svc/kernel/result.h"
#include "svc/mcp/late_results.h"
#include "svc/mcp/sources.h"

namespace svc::mcp {

/// Thread-safe.
class LateResults final : public ILateResults, public std::enable_shared_from_this<LateResults> {
 public:
  [[nodiscard]] Handle onLateResult(Begun begun, Ended ended) override;
  /// Whether somebody delivers them.
  [[nodiscard]] bool areDelivered() const;
  void begin(const LateCall& call);
  void drop(const LateCall& call);
  void tell(const LateCall& call, const Result<Answer>& answer);

 private:
  struct Listener {
    Begun begun;
    Ended ended;
  };
  [[nodiscard]] std::shared_ptr<Listener> listener() const;

  mutable std::mutex mutex_;
  std::shared_ptr<Listener> listener_;
};

}  // namespace svc::mcp
