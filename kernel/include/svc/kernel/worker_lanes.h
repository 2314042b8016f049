#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/kernel/service_id.h"

namespace svc {

/// What one lane of workers does at a moment, and has done since the start.
struct WorkerLaneFigures {
  std::string name;  ///< "short" or "bulk"
  std::uint64_t running = 0;
  std::uint64_t waiting = 0;
  std::uint64_t done = 0;
  std::uint64_t refused = 0;     ///< because the queue was full
  std::uint64_t longest_ms = 0;  ///< the job that took longest, also one that still runs
};

/// Lets others look at the lanes. Provided by the kernel. Thread-safe.
class IWorkerLanes {
 public:
  static constexpr ServiceId kId{"svc.kernel.WorkerLanes", 1};
  virtual ~IWorkerLanes() = default;
  [[nodiscard]] virtual std::vector<WorkerLaneFigures> lanes() const = 0;
};

}  // namespace svc
