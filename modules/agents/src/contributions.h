#pragma once

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

/// Runs `configure` and `contributeInstructions` of these generations beside one another and gathers what they offer.
/// Main thread; so is the answer.
void collectContributions(IMainExecutor& main, std::vector<plugins::GenerationPtr> generations,
                          Choices choices, const common::Json& context,
                          Completion<std::vector<AgentContribution>> done);

}  // namespace svc::agents
