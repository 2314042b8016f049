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
  [[nodiscard]] Handle onLateResult(Listener listener) override;
  /// Whether somebody delivers them.
  [[nodiscard]] bool areDelivered() const;
  void tell(const std::string& thread_id, const std::string& tool, const Result<Answer>& answer);

 private:
  [[nodiscard]] std::shared_ptr<Listener> listener() const;

  mutable std::mutex mutex_;
  std::shared_ptr<Listener> listener_;
};

}  // namespace svc::mcp
