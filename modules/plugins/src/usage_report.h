#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "svc/plugins/plugin_usage.h"

#include "loaded_map.h"

namespace svc::plugins {

/// Puts together what the meters of the plugins show. Thread-safe.
class UsageReport final : public IPluginUsage {
 public:
  explicit UsageReport(std::shared_ptr<const LoadedMap> loaded) : loaded_(std::move(loaded)) {}
  [[nodiscard]] std::vector<PluginUsage> usage() const override;

 private:
  std::shared_ptr<const LoadedMap> loaded_;
};

}  // namespace svc::plugins
