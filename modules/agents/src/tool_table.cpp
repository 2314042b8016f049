#include "tool_table.h"

#include <algorithm>

#include <fmt/format.h>

namespace svc::agents {

void ToolTable::recordsChanged(const std::vector<plugins::PluginRecord>& records) {
  main_thread_.check();
  const bool starting =
      std::any_of(records.begin(), records.end(), [](const plugins::PluginRecord& record) {
        return record.enabled && record.status == plugins::PluginStatus::kStarting;
      });
  settled_ = settled_ || (!records.empty() && !starting);
}

std::vector<ToolTable::Entry> ToolTable::refresh() {
  main_thread_.check();
  auto found = candidates();
  owners_ = decideOwners(found);
  std::vector<Entry> offered;
  decltype(reported_) still_there;
  for (auto& candidate : found) {
    auto key = std::make_pair(candidate.generation->loadId(), candidate.tool.name);
    const bool lost = owners_[candidate.tool.name] != candidate.tool.plugin_id;
    if (lost && !reported_.contains(key)) {
      report(candidate);
    }
    if (lost || reported_.contains(key)) {
      still_there.insert(std::move(key));
    }
    if (!lost) {
      offered.push_back(std::move(candidate));
    }
  }
  reported_ = std::move(still_there);
  return offered;
}

std::vector<KnownTool> ToolTable::known() const {
  main_thread_.check();
  std::vector<KnownTool> out;
  for (auto& candidate : candidates()) {
    const auto holder = owners_.find(candidate.tool.name);
    out.push_back({std::move(candidate.tool), holder == owners_.end() ? "" : holder->second});
  }
  return out;
}

std::vector<ToolTable::Entry> ToolTable::candidates() const {
  std::vector<Entry> found;
  for (const auto& generation : loaded_.all()) {
    const auto registration = generation->registration("agent-tools");
    for (const auto& tool : registration.items()) {
      found.push_back({generation,
                       {.plugin_id = generation->pluginId(),
                        .name = tool["name"].asString(),
                        .description = tool["description"].asString(),
                        .input_schema = tool["inputSchema"],
                        .instructions = tool["instructions"].asString(),
                        .presentation = tool["presentation"]}});
    }
  }
  return found;
}

ToolTable::Owners ToolTable::decideOwners(const std::vector<Entry>& candidates) const {
  Owners owners;
  for (const auto& [generation, tool] : candidates) {
    const auto holder = owners_.find(tool.name);
    const bool keeps = settled_ && holder != owners_.end() && holder->second == tool.plugin_id;
    if (keeps || !owners.contains(tool.name)) {
      owners[tool.name] = tool.plugin_id;
    }
  }
  return owners;
}

void ToolTable::report(const Entry& loser) {
  loser.generation->addProblem(
      {"agent_tool_shadowed",
       fmt::format("the tool name \"{}\" belongs to plugin \"{}\"; this plugin's tool is not "
                   "offered to agents",
                   loser.tool.name, owners_[loser.tool.name])});
}

}  // namespace svc::agents
