#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "svc/agents/tool_stats.h"

namespace svc::agents {

/// Counts calls by plugin and tool. Thread-safe.
class ToolMeters final : public IToolStats {
 public:
  void record(const std::string& plugin_id, const std::string& name,
              std::chrono::duration<double, std::milli> took, bool is_error);
  /// Forgets what belongs to plugins that are not installed any more.
  void keepOnly(const std::set<std::string>& plugin_ids);
  [[nodiscard]] std::vector<ToolStats> stats() const override;

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, ToolStats> tools_;
};

}  // namespace svc::agents
