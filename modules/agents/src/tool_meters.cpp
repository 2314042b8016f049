#include "tool_meters.h"

namespace svc::agents {

void ToolMeters::record(const std::string& plugin_id, const std::string& name,
                        std::chrono::duration<double, std::milli> took, bool is_error) {
  const std::scoped_lock lock(mutex_);
  auto& tool = tools_[{plugin_id, name}];
  tool.calls += 1;
  tool.errors += is_error ? 1 : 0;
  tool.total_ms += took.count();
}

void ToolMeters::keepOnly(const std::set<std::string>& plugin_ids) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(tools_, [&](const auto& entry) { return !plugin_ids.contains(entry.first.first); });
}

std::vector<ToolStats> ToolMeters::stats() const {
  const std::scoped_lock lock(mutex_);
  std::vector<ToolStats> out;
  out.reserve(tools_.size());
  for (const auto& [key, tool] : tools_) {
    out.push_back(tool);
    out.back().plugin_id = key.first;
    out.back().name = key.second;
  }
  return out;
}

}  // namespace svc::agents
