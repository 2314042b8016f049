#pragma once

#include <memory>
#include <string>
#include <vector>

#include "svc/agents/agent_tools.h"
#include "svc/agents/instructions.h"

#include "contributions.h"
#include "tool_calls.h"

namespace svc::agents {

class ToolSession final : public IToolSession {
 public:
  ToolSession(std::shared_ptr<ToolCalls> calls, SessionRequest request,
              std::vector<AgentContribution> contributions);

  [[nodiscard]] const std::vector<AgentTool>& tools() const override { return tools_; }
  [[nodiscard]] const std::vector<SessionSkills>& skills() const override { return skills_; }
  [[nodiscard]] const std::string& instructions() const override { return instructions_; }
  void call(std::string name, common::RawJson arguments, CallNews news, std::stop_token stop,
            Completion<ToolResult> done) override;

 private:
  const std::shared_ptr<ToolCalls> calls_;
  const std::string thread_id_;
  const std::string project_id_;
  std::vector<AgentTool> tools_;
  std::vector<SessionSkills> skills_;
  std::string instructions_;
};

}  // namespace svc::agents
