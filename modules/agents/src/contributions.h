#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "svc/agents/agent_tools.h"
#include "svc/kernel/executor.h"
#include "svc/plugins/plugins.h"

#include "tool_table.h"

namespace svc::agents {

using SkillNames = std::map<std::string, std::set<std::string>>;  // by plugin id

/// What plugins can choose from.
struct Choices {
  std::vector<ToolTable::Entry> tools;
  SkillNames skills;
};

/// What one plugin adds to a session, after its `configure` and `contributeInstructions`.
struct AgentContribution {
  std::string plugin_id;
  bool configured = false;  ///< `tools` and `skills` are what its `configure` has chosen
  std::vector<AgentTool> tools;
  std::vector<std::string> skills;
  std::string instructions;             ///< of contributeInstructions; empty = none
  std::string configured_instructions;  ///< of configure; empty = none
};

/// What plugins are asked: a session that begins has all of it, a further turn of it `configure` alone.
enum class Asked { kEverything, kConfigure };

/// Gives the loads of all plugins; of one that is being replaced the load that takes over, for which it waits. Main thread; so is the answer.
void acquireAll(plugins::ILoadedPlugins& loaded,
                std::function<void(std::vector<plugins::GenerationPtr> generations)> done);

/// Runs `configure` and `contributeInstructions` of these generations beside one another and gathers what they offer, in the order of
/// the generations. Main thread; so is the answer.
void collectContributions(IMainExecutor& main, std::vector<plugins::GenerationPtr> generations,
                          Choices choices, const AgentContext& context, Asked asked,
                          Completion<std::vector<AgentContribution>> done);

}  // namespace svc::agents
