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
            .calls = calls,
            .failed_calls = failed_calls,
            .detached_calls = detached_calls,
            .open_calls = open_calls,
            .open_streams = open_streams};
  }

  using Count = std::atomic<std::uint64_t>;
  Count requests{0};
  Count refused{0};
  Count calls{0};
  Count failed_calls{0};
  Count detached_calls{0};
  Count open_calls{0};
  Count open_streams{0};
};

}  // namespace svc::mcp
