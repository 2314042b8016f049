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

ToolSession::ToolSession(std::shared_ptr<ToolCalls> calls, SessionRequest request,
                         std::vector<AgentContribution> contributions)
    : calls_(std::move(calls)),
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
  calls_->run({.plugin_id = tool->plugin_id,
               .name = std::move(name),
               .arguments = std::move(arguments),
               .context = {.thread_id = thread_id_,
                           .project_id = project_id_,
                           .progress = std::move(news.progress),
                           .form_opened = std::move(news.form_opened)},
               .parameters = tool->narrowed ? tool->input_schema : common::Json(),
               .stop = std::move(stop),
               .done = std::move(done)});
}

}  // namespace svc::agents
