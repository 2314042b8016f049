#pragma once

#include <optional>

#include "svc/agents/agent_tools.h"
#include "svc/mcp/sources.h"

#include "form_call.h"

namespace svc::mcp {

/// The tools of plugins, each under its own name. Requests are answered on the io thread.
class AgentToolSource final : public ISource {
 public:
  AgentToolSource(agents::IAgentTools& tools, std::shared_ptr<FormCalls> forms)
      : tools_(tools), forms_(std::move(forms)) {}

  [[nodiscard]] common::Json capabilities() const override;
  [[nodiscard]] std::string instructions(const Caller& caller) override;
  [[nodiscard]] std::vector<Item> list(ListKind kind, const Caller& caller) override;
  [[nodiscard]] bool takes(std::string_view /*method*/, std::string_view /*key*/) const override {
    return false;
  }
  void answer(Request request, Completion<Answer> done) override;

 private:
  void call(Request request, common::RawJson arguments, agents::AskForm ask,
            Completion<Answer> done);

  agents::IAgentTools& tools_;
  const std::shared_ptr<FormCalls> forms_;
};

/// The arguments of a tools/call as an object; an error when they are something else.
[[nodiscard]] Result<common::RawJson> argumentsOf(const Request& request);
/// Why the request cannot go on where another one ended, when it says that it does: for what never ends with `input_required`. To call
/// the tool again would do its work twice.
[[nodiscard]] std::optional<Error> goesOnFromNowhere(const Request& request);
/// A tools/call result that is one text.
[[nodiscard]] Answer textAnswer(const std::string& text, bool failed);

}  // namespace svc::mcp
