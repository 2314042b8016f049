#include "tool_table.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "svc/common/limits/agents.h"

namespace svc::agents {
namespace {

constexpr std::string_view kShadowed = "agent_tool_shadowed";
constexpr std::string_view kOddName = "agent_tool_name";
constexpr std::string_view kCommandPrefix = "cli_";

}  // namespace

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
  std::map<std::uint64_t, std::pair<plugins::GenerationPtr, std::vector<plugins::Problem>>> all;
  std::vector<Entry> offered;
  for (auto& candidate : found) {
    auto& [generation, problems] = all[candidate.generation->loadId()];
    generation = candidate.generation;
    std::ranges::move(problemsOf(candidate.tool), std::back_inserter(problems));
    if (owners_[candidate.tool.name] == candidate.tool.plugin_id) {
      offered.push_back(std::move(candidate));
    }
  }
  for (const auto& [load_id, entry] : all) {
    report(*entry.first, entry.second);
  }
  std::erase_if(reported_, [&](const auto& entry) { return !all.contains(entry.first); });
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

std::vector<plugins::Problem> ToolTable::problemsOf(const AgentTool& tool) const {
  std::vector<plugins::Problem> problems;
  if (const auto& holder = owners_.at(tool.name); holder != tool.plugin_id) {
    problems.push_back(
        {std::string(kShadowed), fmt::format("the tool name \"{}\" belongs to plugin \"{}\"; this "
                                             "plugin's tool is not offered to agents",
                                             tool.name, holder)});
  }
  if (tool.name.size() > limits::kAgentToolName) {
    problems.push_back({std::string(kOddName),
                        fmt::format("the tool name \"{}\" has {} characters; clients put a prefix "
                                    "before it and models take 64 in all: use at most {}",
                                    tool.name, tool.name.size(), limits::kAgentToolName)});
  }
  if (tool.name.starts_with(kCommandPrefix)) {
    problems.push_back({std::string(kOddName),
                        fmt::format("the tool name \"{}\" is one of those that commands have for "
                                    "MCP clients: where there is a command \"{}\", this tool is "
                                    "not offered; use another name",
                                    tool.name, tool.name.substr(kCommandPrefix.size()))});
  }
  return problems;
}

void ToolTable::report(plugins::IGeneration& generation,
                       const std::vector<plugins::Problem>& problems) {
  std::set<std::string> messages;
  for (const auto& problem : problems) {
    messages.insert(problem.message);
  }
  auto& before = reported_[generation.loadId()];
  const bool some_ended = !std::ranges::includes(messages, before);
  if (some_ended) {
    generation.removeProblem(kShadowed);
    generation.removeProblem(kOddName);
    before.clear();
  }
  for (const auto& problem : problems) {
    if (before.insert(problem.message).second) {
      generation.addProblem(problem);
    }
  }
}

}  // namespace svc::agents
