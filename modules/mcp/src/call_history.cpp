#include "call_history.h"

#include <utility>

#include "svc/common/limits/mcp.h"

namespace svc::mcp {

void CallHistory::add(CallPtr call) {
  call->id = ++last_id_;
  calls_.push_back(std::move(call));
  if (calls_.size() > limits::kMcpHistory) {
    calls_.pop_front();
  }
}

}  // namespace svc::mcp
