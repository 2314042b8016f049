#include "heap_limits.h"

#include <algorithm>

#include "svc/common/json.h"

namespace svc::hosts {

HeapLimits::HeapLimits(const IConfig& config)
    : usual_(std::max<std::int64_t>(config.getInteger("plugins.heapMiB"), 1)) {
  const auto overrides = common::Json::parse(config.getJson("plugins.overrides"));
  if (!overrides) {
    return;
  }
  for (const auto& [plugin_id, values] : overrides.value().members()) {
    single_[plugin_id] = std::max<std::int64_t>(values["heapMiB"].asInteger(usual_), 1);
  }
}

std::int64_t HeapLimits::of(const std::string& plugin_id) const {
  const auto found = single_.find(plugin_id);
  return found == single_.end() ? usual_ : found->second;
}

}  // namespace svc::hosts
