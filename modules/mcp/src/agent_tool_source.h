#pragma once

#include "svc/agents/agent_tools.h"
#include "svc/mcp/sources.h"

namespace svc::mcp {

/// The tools of plugins, each under its own name.
class AgentToolSource final : public ISource {
 public:
  explicit AgentToolSource(agents::IAgentTools& tools) : tools_(tools) {}

  [[nodiscard]] common::Json capabilities() const override;
  [[nodiscard]] std::string instructions(const Caller& caller) override;
  [[nodiscard]] std::vector<Item> list(ListKind kind, const Caller& caller) override;
  [[nodiscard]] bool takes(std::string_view /*method*/, std::string_view /*key*/) const override {
    return false;
  }
  void answer(Request request, Completion<Answer> done) override;

 private:
  agents::IAgentTools& tools_;
};

/// The arguments of a tools/call as an object; an error when they are something else.
[[nodiscard]] Result<common::RawJson> argumentsOf(const Request& request);
/// A tools/call result that is one text.
[[nodiscard]] Answer textAnswer(const std::string& text, bool failed);

}  // namespace svc::mcp
