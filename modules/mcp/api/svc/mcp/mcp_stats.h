#pragma once

#include <cstdint>

#include "svc/kernel/service_id.h"

namespace svc::mcp {

/// Since the server started.
struct McpStats {
  std::uint64_t requests = 0;
  std::uint64_t refused = 0;       ///< answered with a JSON-RPC error
  std::uint64_t unauthorized = 0;  ///< with a token that does not work
  std::uint64_t calls = 0;         ///< of tools
  std::uint64_t failed_calls = 0;
  std::uint64_t detached_calls = 0;
  std::uint64_t call_ms = 0;  ///< that ended calls took, together
  std::uint64_t open_calls = 0;
  std::uint64_t open_streams = 0;  ///< clients that listen for changes
};

/// Thread-safe and quick.
class IMcpStats {
 public:
  static constexpr ServiceId kId{"svc.mcp.Stats", 1};
  virtual ~IMcpStats() = default;
  [[nodiscard]] virtual McpStats stats() const = 0;
};

}  // namespace svc::mcp
