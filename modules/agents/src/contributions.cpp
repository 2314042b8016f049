#include "contributions.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits.h"

#include "bounded_invoke.h"

namespace svc::agents {
namespace {

using common::Json;

/// One gathering; answers when the last reference is let go, which is when the last plugin has answered.
struct Gathering {
  Gathering(SkillNames known, Completion<std::vector<AgentContribution>> answer)
      : skills(std::move(known)), done(std::move(answer)) {}
  Gathering(const Gathering&) = delete;
  Gathering& operator=(const Gathering&) = delete;
  ~Gathering() { done(std::move(contributions)); }

  SkillNames skills;
  Completion<std::vector<AgentContribution>> done;
  std::vector<AgentContribution> contributions;
};

Error late(const std::string& member) {
  return {errc::kTimeout, fmt::format("{} did not answer within {} ms (limit agentCallback)",
                                      member, limits::kAgentCallback.count())};
}

/// Keeps the tools that were chosen; false when one is not the plugin's own.
bool choose(std::vector<AgentTool>& tools, const Json& chosen) {
  std::vector<AgentTool> kept;
  for (const auto& choice : chosen.items()) {
    const auto& name = choice["name"].asString();
    const auto found =
        std::find_if(tools.begin(), tools.end(),
                     [&name](const AgentTool& candidate) { return candidate.name == name; });
    if (found == tools.end()) {
      return false;
    }
    kept.push_back(*found);
    if (const auto* schema = choice.find("inputSchema")) {
      kept.back().input_schema = *schema;
    }
  }
  tools = std::move(kept);
  return true;
}

/// What `configure` chose; the error says why it cannot count.
Status applyChoice(const Result<std::string>& answer, const std::set<std::string>& own_skills,
                   AgentContribution& contribution) {
  if (!answer) {
    return answer.error();
  }
  const auto parsed = Json::parse(answer.value());
  if (!parsed) {
    return parsed.error();
  }
  const auto& chosen = parsed.value();
  if (!chosen["tools"].isNull() && !choose(contribution.tools, chosen["tools"])) {
    return Error{errc::kInvalidInput, "it chose a tool that is not on offer from this plugin"};
  }
  if (!chosen["skills"].isNull()) {
    contribution.skills.emplace();
    for (const auto& skill : chosen["skills"].items()) {
      if (!own_skills.contains(skill.asString())) {
        return Error{errc::kInvalidInput,
                     fmt::format("this plugin has no skill \"{}\"", skill.asString())};
      }
      contribution.skills->push_back(skill.asString());
    }
  }
  contribution.configured_instructions = chosen["instructions"].asString();
  return {};
}

void applyConfiguration(plugins::IGeneration& generation, const Result<std::string>& answer,
                        Gathering& gathering, std::size_t index) {
  auto& contribution = gathering.contributions[index];
  const auto status = applyChoice(answer, gathering.skills[contribution.plugin_id], contribution);
  if (!status) {
    generation.log("error", fmt::format("agents.configure: no tools and no skills this time: {}",
                                        status.error().message));
    contribution.tools.clear();
    contribution.skills.emplace();
  }
}

void ask(IMainExecutor& main, const plugins::GenerationPtr& generation, const std::string& member,
         const std::string& context, Completion<std::string> done) {
  invokeBounded(main, *generation, member, {.function = member, .meta = "", .body = context},
                limits::kAgentCallback, late(member), std::move(done));
}

Json instructionContext(const Json& context) {
  return Json::object()
      .set("threadId", context["thread"]["id"])
      .set("projectId", context["project"]["id"]);
}

}  // namespace

void collectContributions(IMainExecutor& main, std::vector<plugins::GenerationPtr> generations,
                          Choices choices, const Json& context,
                          Completion<std::vector<AgentContribution>> done) {
  auto gathering = std::make_shared<Gathering>(std::move(choices.skills), std::move(done));
  gathering->contributions.resize(generations.size());
  for (std::size_t index = 0; index < generations.size(); ++index) {
    const auto& generation = generations[index];
    auto& contribution = gathering->contributions[index];
    contribution.plugin_id = generation->pluginId();
    for (const auto& entry : choices.tools) {
      if (entry.tool.plugin_id == contribution.plugin_id) {
        contribution.tools.push_back(entry.tool);
      }
    }
    const auto registered = generation->registration("agent-config");
    if (registered["configure"].asBool()) {
      ask(main, generation, "agents.configure", context.dump(),
          [gathering, generation, index](const Result<std::string>& answer) {
            applyConfiguration(*generation, answer, *gathering, index);
          });
    }
    if (registered["instructions"].asBool()) {
      ask(main, generation, "agents.contributeInstructions", instructionContext(context).dump(),
          [gathering, index](const Result<std::string>& answer) {
            const auto text = answer ? Json::parse(answer.value()) : Result<Json>(Json());
            if (text) {
              gathering->contributions[index].instructions = text.value().asString();
            }
          });
    }
  }
}

}  // namespace svc::agents
