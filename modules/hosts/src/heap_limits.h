#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "svc/common/limits/plugins.h"
#include "svc/kernel/config.h"

namespace svc::hosts {

/// What the configuration gives plugins as heap, in MiB (`plugins.heapMiB`, before it `plugins.overrides.<id>.heapMiB`). A value.
class HeapLimits {
 public:
  explicit HeapLimits(std::int64_t usual = limits::kPluginHeapMiB) : usual_(usual) {}
  explicit HeapLimits(const IConfig& config);

  /// At least 1.
  [[nodiscard]] std::int64_t of(const std::string& plugin_id) const;

 private:
  std::int64_t usual_;
  std::map<std::string, std::int64_t> single_;
};

}  // namespace svc::hosts
