#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "svc/agents/agent_tools.h"
#include "svc/agents/instructions.h"

#include "contributions.h"
#include "tool_calls.h"

namespace svc::agents {

class ToolSession final : public IToolSession, public std::enable_shared_from_this<ToolSession> {
 public:
  /// Asks plugins what they choose for a turn.
  using Ask =
      std::function<void(AgentContext context, Completion<std::vector<AgentContribution>> done)>;

  ToolSession(std::shared_ptr<ToolCalls> calls, Ask ask, SessionRequest request,
              std::vector<AgentContribution> contributions);

  [[nodiscard]] const std::vector<AgentTool>& tools() const override { return tools_; }
  [[nodiscard]] const std::vector<SessionSkills>& skills() const override { return skills_; }
  [[nodiscard]] const std::string& instructions() const override { return instructions_; }
  void call(std::string name, common::RawJson arguments, CallNews news, std::stop_token stop,
            Completion<ToolResult> done) override;
  void renew(AgentContext context, Completion<void> done) override;

 private:
  using Choice = std::map<std::string, common::Json>;  // override or null, by tool

  void take(const std::vector<AgentContribution>& contributions);
  /// The schemas that arguments of this tool have to fit beside its own; nothing when this turn does not have it.
  [[nodiscard]] std::optional<std::vector<common::Json>> overridesOf(const AgentTool& tool) const;

  const std::shared_ptr<ToolCalls> calls_;
  const Ask ask_;
  const std::string thread_id_;
  const std::string project_id_;
  std::vector<AgentTool> tools_;
  std::vector<SessionSkills> skills_;
  std::string instructions_;
  mutable std::mutex mutex_;
  std::map<std::string, Choice> turn_;  // by plugin; who is not there has not chosen again
};

}  // namespace svc::agents
