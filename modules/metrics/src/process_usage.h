#pragma once

#include <cstdint>
#include <optional>

namespace svc::metrics {

/// What the operating system says about this process.
struct ProcessUsage {
  double cpu_seconds = 0;
  double started_at = 0;  ///< seconds since the epoch
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t threads = 0;
  std::uint64_t open_descriptors = 0;
  std::uint64_t max_descriptors = 0;
};

/// Nothing when /proc cannot be read. Blocks for the time of a few small files.
[[nodiscard]] std::optional<ProcessUsage> readProcessUsage();

}  // namespace svc::metrics
