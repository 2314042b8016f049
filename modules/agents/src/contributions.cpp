#include "contributions.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/limits/agents.h"

#include "bounded_invoke.h"

namespace svc::agents {
namespace {

using common::Json;

constexpr const char* kConfigure = "agents.configure";
constexpr const char* kContribute = "agents.contributeInstructions";

/// Answers when the last plugin has been found, or turned out to be gone.
struct Acquisition {
  using Done = std::function<void(std::vector<plugins::GenerationPtr> generations)>;
  explicit Acquisition(Done answer) : done(std::move(answer)) {}
  Acquisition(const Acquisition&) = delete;
  Acquisition& operator=(const Acquisition&) = delete;
  ~Acquisition() {
    std::erase(found, nullptr);
    done(std::move(found));
  }

  Done done;
  std::vector<plugins::GenerationPtr> found;
};

/// One gathering; answers when the last reference is let go, which is when the last plugin has answered.
struct Gathering {
  explicit Gathering(Completion<std::vector<AgentContribution>> answer) : done(std::move(answer)) {}
  Gathering(const Gathering&) = delete;
  Gathering& operator=(const Gathering&) = delete;
  ~Gathering() { done(std::move(contributions)); }

  Completion<std::vector<AgentContribution>> done;
  std::vector<AgentContribution> contributions;
};

Error late(const std::string& member) {
  return {errc::kTimeout, fmt::format("{} did not answer within {} ms (limit agentCallback)",
                                      member, limits::kAgentCallback.count())};
}

/// The tools that were chosen. A name that is not there belongs to another plugin: the script part knows what is registered, and which
/// of it is not on offer is a problem in the record.
std::vector<AgentTool> chosenTools(const std::vector<AgentTool>& own, const Json& chosen) {
  std::vector<AgentTool> kept;
  for (const auto& choice : chosen.items()) {
    const auto found = std::find_if(own.begin(), own.end(), [&choice](const AgentTool& candidate) {
      return candidate.name == choice["name"].asString();
    });
    if (found == own.end()) {
      continue;
    }
    kept.push_back(*found);
    if (const auto* schema = choice.find("inputSchema")) {
      kept.back().input_schema = *schema;
      kept.back().narrowed = true;
    }
  }
  return kept;
}

/// What `configure` chose; the error says why it cannot count.
Status applyChoice(const Result<std::string>& answer, AgentContribution& contribution) {
  if (!answer) {
    return answer.error();
  }
  const auto parsed = Json::parse(answer.value());
  if (!parsed) {
    return parsed.error();
  }
  const auto& chosen = parsed.value();
  std::vector<std::string> skills;
  for (const auto& skill : chosen["skills"].items()) {
    const auto& own = contribution.skills;
    if (std::find(own.begin(), own.end(), skill.asString()) == own.end()) {
      return Error{errc::kInvalidInput,
                   fmt::format("this plugin has no skill \"{}\"", skill.asString())};
    }
    skills.push_back(skill.asString());
  }
  contribution.skills = std::move(skills);
  contribution.tools = chosenTools(contribution.tools, chosen["tools"]);
  contribution.configured_instructions = chosen["instructions"].asString();
  return {};
}

/// Of what the callback itself has thrown the log has told already.
std::string causeOf(const Error& error) {
  return error.code == errc::kHandlerError ? std::string() : ": " + error.message;
}

void applyConfiguration(plugins::IGeneration& generation, const Result<std::string>& answer,
                        AgentContribution& contribution) {
  if (const auto status = applyChoice(answer, contribution); !status) {
    generation.log("error", fmt::format("{}: no tools and no skills this time{}", kConfigure,
                                        causeOf(status.error())));
    contribution.tools.clear();
    contribution.skills.clear();
  }
}

void applyInstructions(plugins::IGeneration& generation, const Result<std::string>& answer,
                       AgentContribution& contribution) {
  const auto text = answer ? Json::parse(answer.value()) : answer.error();
  if (!text) {
    generation.log("error", fmt::format("{}: no instructions this time{}", kContribute,
                                        causeOf(text.error())));
    return;
  }
  contribution.instructions = text.value().asString();
}

void ask(IMainExecutor& main, const plugins::GenerationPtr& generation, const std::string& member,
         const std::string& context, Completion<std::string> done) {
  invokeBounded(main, *generation, member, {.function = member, .meta = "", .body = context},
                limits::kAgentCallback, late(member), std::move(done));
}

/// What the plugin offers while nobody has chosen.
AgentContribution everythingOf(const std::string& plugin_id, const Choices& choices) {
  AgentContribution all{.plugin_id = plugin_id,
                        .configured = false,
                        .tools = {},
                        .skills = {},
                        .instructions = {},
                        .configured_instructions = {}};
  for (const auto& entry : choices.tools) {
    if (entry.tool.plugin_id == plugin_id) {
      all.tools.push_back(entry.tool);
    }
  }
  if (const auto skills = choices.skills.find(plugin_id); skills != choices.skills.end()) {
    all.skills.assign(skills->second.begin(), skills->second.end());
  }
  return all;
}

}  // namespace

void acquireAll(plugins::ILoadedPlugins& loaded,
                std::function<void(std::vector<plugins::GenerationPtr> generations)> done) {
  const auto all = loaded.all();
  const auto acquisition = std::make_shared<Acquisition>(std::move(done));
  acquisition->found.resize(all.size());
  for (std::size_t index = 0; index < all.size(); ++index) {
    loaded.acquire(all[index]->pluginId(),
                   [acquisition, index](const Result<plugins::GenerationPtr>& generation) {
                     if (generation) {
                       acquisition->found[index] = generation.value();
                     }
                   });
  }
}

void collectContributions(IMainExecutor& main, std::vector<plugins::GenerationPtr> generations,
                          Choices choices, const AgentContext& context, Asked asked,
                          Completion<std::vector<AgentContribution>> done) {
  auto gathering = std::make_shared<Gathering>(std::move(done));
  for (const auto& generation : generations) {
    gathering->contributions.push_back(everythingOf(generation->pluginId(), choices));
  }
  const auto instruction_context =
      Json::object().set("threadId", context.thread.id).set("projectId", context.project.id).dump();
  for (std::size_t index = 0; index < generations.size(); ++index) {
    const auto& generation = generations[index];
    const auto registered = generation->registration("agent-config");
    if (registered["configure"].asBool()) {
      gathering->contributions[index].configured = true;
      ask(main, generation, kConfigure, toJson(context, generation->pluginId()).dump(),
          [gathering, generation, index](const Result<std::string>& answer) {
            applyConfiguration(*generation, answer, gathering->contributions[index]);
          });
    }
    if (asked == Asked::kEverything && registered["instructions"].asBool()) {
      ask(main, generation, kContribute, instruction_context,
          [gathering, generation, index](const Result<std::string>& answer) {
            applyInstructions(*generation, answer, gathering->contributions[index]);
          });
    }
  }
}

}  // namespace svc::agents
