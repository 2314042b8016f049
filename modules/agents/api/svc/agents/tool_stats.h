#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/kernel/service_id.h"

namespace svc::agents {

/// Calls of one tool since the server started; they survive a reload of its plugin and end with its row.
struct ToolStats {
  std::string plugin_id;
  std::string name;
  std::uint64_t calls = 0;   ///< that were answered
  std::uint64_t errors = 0;  ///< of them: answers with `isError`, whoever is to blame
  double total_ms = 0;
};

/// Thread-safe and quick.
class IToolStats {
 public:
  static constexpr ServiceId kId{"svc.agents.ToolStats", 1};
  virtual ~IToolStats() = default;
  /// By plugin id and name; tools that were never called are not there.
  [[nodiscard]] virtual std::vector<ToolStats> stats() const = 0;
};

}  // namespace svc::agents
