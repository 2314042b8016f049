#include "tool_session.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace svc::agents {
namespace {

void gather(InstructionSources& sources, const AgentContribution& contribution) {
  const auto& id = contribution.plugin_id;
  for (const auto& tool : contribution.tools) {
    if (!tool.instructions.empty()) {
      sources.tools.push_back({id, fmt::format("{}: {}", tool.name, tool.instructions)});
    }
  }
  sources.contributed.push_back({id, contribution.instructions});
  sources.configured.push_back({id, contribution.configured_instructions});
}

}  // namespace

ToolSession::ToolSession(std::shared_ptr<ToolCalls> calls, Ask ask, SessionRequest request,
                         std::vector<AgentContribution> contributions)
    : calls_(std::move(calls)),
      ask_(std::move(ask)),
      thread_id_(std::move(request.context.thread.id)),
      project_id_(std::move(request.context.project.id)) {
  InstructionSources sources{.service = std::move(request.service_instructions),
                             .tools = {},
                             .contributed = {},
                             .configured = {},
                             .data_directory = std::move(request.data_directory_instructions),
                             .workspace = std::move(request.workspace_instructions)};
  for (auto& contribution : contributions) {
    gather(sources, contribution);
    std::move(contribution.tools.begin(), contribution.tools.end(), std::back_inserter(tools_));
    if (!contribution.skills.empty()) {
      skills_.push_back({contribution.plugin_id, std::move(contribution.skills)});
    }
  }
  instructions_ = joinInstructions(std::move(sources));
}

void ToolSession::call(std::string name, common::RawJson arguments, CallNews news,
                       std::stop_token stop, Completion<ToolResult> done) {
  const auto tool = std::find_if(tools_.begin(), tools_.end(),
                                 [&name](const AgentTool& each) { return each.name == name; });
  if (tool == tools_.end()) {
    done(textResult(fmt::format("Unknown tool {}", name), true));
    return;
  }
  auto overrides = overridesOf(*tool);
  if (!overrides) {
    done(textResult(fmt::format("Tool {} is not offered in this turn", name), true));
    return;
  }
  calls_->run({.plugin_id = tool->plugin_id,
               .name = std::move(name),
               .arguments = std::move(arguments),
               .context = {.thread_id = thread_id_,
                           .project_id = project_id_,
                           .progress = std::move(news.progress),
                           .form_opened = std::move(news.form_opened)},
               .overrides = *std::move(overrides),
               .stop = std::move(stop),
               .done = std::move(done)});
}

void ToolSession::renew(AgentContext context, Completion<void> done) {
  ask_(std::move(context),
       [weak = weak_from_this(), done = std::make_shared<Completion<void>>(std::move(done))](
           const Result<std::vector<AgentContribution>>& contributions) {
         if (const auto self = weak.lock(); self && contributions) {
           self->take(contributions.value());
         }
         (*done)({});
       });
}

/// Who is not loaded just now is not there either: what it chose last goes on.
void ToolSession::take(const std::vector<AgentContribution>& contributions) {
  const std::scoped_lock lock(mutex_);
  for (const auto& contribution : contributions) {
    turn_.erase(contribution.plugin_id);
    if (!contribution.configured) {
      continue;
    }
    auto& choice = turn_[contribution.plugin_id];
    for (const auto& tool : contribution.tools) {
      choice.emplace(tool.name, tool.narrowed ? tool.input_schema : common::Json());
    }
  }
}

std::optional<std::vector<common::Json>> ToolSession::overridesOf(const AgentTool& tool) const {
  std::vector<common::Json> overrides;
  if (tool.narrowed) {
    overrides.push_back(tool.input_schema);
  }
  const std::scoped_lock lock(mutex_);
  const auto choice = turn_.find(tool.plugin_id);
  if (choice == turn_.end()) {
    return overrides;
  }
  const auto chosen = choice->second.find(tool.name);
  if (chosen == choice->second.end()) {
    return std::nullopt;
  }
  if (!chosen->second.isNull()) {
    overrides.push_back(chosen->second);
  }
  return overrides;
}

}  // namespace svc::agents
