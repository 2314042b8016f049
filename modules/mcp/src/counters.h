#pragma once

#include <atomic>
#include <cstdint>

#include "svc/mcp/mcp_stats.h"

namespace svc::mcp {

/// Thread-safe.
class Counters final : public IMcpStats {
 public:
  [[nodiscard]] McpStats stats() const override {
    return {.requests = requests,
            .refused = refused,
            .unauthorized = unauthorized,
            .calls = calls,
            .failed_calls = failed_calls,
            .detached_calls = detached_calls,
            .call_ms = call_ms,
            .open_calls = open_calls,
            .open_streams = open_streams};
  }

  using Count = std::atomic<std::uint64_t>;
  Count requests{0};
  Count refused{0};
  Count unauthorized{0};
  Count calls{0};
  Count failed_calls{0};
  Count detached_calls{0};
  Count call_ms{0};
  Count open_calls{0};
  Count open_streams{0};
};

}  // namespace svc::mcp
