#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "svc/agents/agent_context.h"
#include "svc/agents/forms.h"
#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::agents {

/// One tool as agents see it.
struct AgentTool {
  std::string plugin_id;
  std::string name;  ///< unique among the tools that are offered
  std::string description;
  common::Json input_schema;  ///< a JSON Schema whose type is "object"
  std::string instructions;   ///< empty = none
  common::Json presentation;  ///< {label?, icon?, suppress?, tint?}, or null
  bool narrowed = false;      ///< `input_schema` is an override of `configure`
};

/// What a tool says of a call that goes on.
struct ToolProgress {
  double progress = 0;
  std::optional<double> total;
  std::string message;  ///< empty = none
};

/// Where a call comes from; empty for an MCP client outside of a thread.
struct ToolContext {
  std::string thread_id{};
  std::string project_id{};
  /// Called on the script thread until the call is answered; empty: nobody wants to know.
  std::function<void(const ToolProgress&)> progress{};
  /// Called on any thread when a form that the tool has opened is shown in a thread, where a person may take long; empty: nobody wants to
  /// know.
  std::function<void()> form_opened{};
  /// Shows the forms that the tool opens until the call is answered; empty: nobody does.
  AskForm ask{};
};

/// What a caller wants to hear of a call before its answer, as in ToolContext.
struct CallNews {
  std::function<void(const ToolProgress&)> progress{};
  std::function<void()> form_opened{};
};

struct ToolResult {
  common::RawJson content;  ///< array of text and image parts
  bool is_error = false;
};

/// One session of an agent.
struct SessionRequest {
  AgentContext context;
  // What is not of plugins; empty = none.
  std::string service_instructions{};
  std::string data_directory_instructions{};
  std::string workspace_instructions{};
};

/// Skills of one plugin that a session has.
struct SessionSkills {
  std::string plugin_id;
  std::vector<std::string> names;
};

/// What one caller gets of all plugins, as it was when the session was opened: a reload, `configure` and other tools of the same name
/// change what is listed only in sessions that are opened later. Any thread.
class IToolSession {
 public:
  virtual ~IToolSession() = default;
  /// By plugin id, then as the plugin chose or registered them.
  [[nodiscard]] virtual const std::vector<AgentTool>& tools() const = 0;
  /// By plugin id; plugins without skills are not there.
  [[nodiscard]] virtual const std::vector<SessionSkills>& skills() const = 0;
  /// In the order of the contract.
  [[nodiscard]] virtual const std::string& instructions() const = 0;
  /// As IAgentTools::call(), for the tools of the session and for its thread. The plugin that had the tool is called, as it is loaded
  /// now.
  virtual void call(std::string name, common::RawJson arguments, CallNews news,
                    std::stop_token stop, Completion<ToolResult> done) = 0;
  /// A further turn begins: asks each plugin's `configure` again, within the same bound. What it answers narrows the calls of this turn;
  /// what the caller has been shown stays. Never fails; fires on the main thread.
  virtual void renew(AgentContext context, Completion<void> done) = 0;
};
using ToolSessionPtr = std::shared_ptr<IToolSession>;

/// The tools that loaded plugins offer to agents. Main thread, but for call() and presentationOf().
class IAgentTools {
 public:
  static constexpr ServiceId kId{"svc.agents.Tools", 1};
  virtual ~IAgentTools() = default;
  /// By plugin id, then in the order registered. A name that several plugins have stands for one of them: the lowest id
  /// while the server starts, later the one that has it already.
  [[nodiscard]] virtual std::vector<AgentTool> list() = 0;
  /// Runs a tool. Never fails: what goes wrong is text with `is_error`. `stop` is the caller that gives up. Any thread may call; fires
  /// on the script thread or, when there is no such tool, on the main thread.
  virtual void call(std::string name, common::RawJson arguments, ToolContext context,
                    std::stop_token stop, Completion<ToolResult> done) = 0;
  /// As call(), of this plugin whoever has the name: for its author.
  virtual void callOf(std::string plugin_id, std::string name, common::RawJson arguments,
                      ToolContext context, std::stop_token stop, Completion<ToolResult> done) = 0;
  /// Asks every plugin what it offers for a thread. A plugin whose `configure` fails, is malformed or does not answer within
  /// lim.agentCallback has neither tools nor skills in this session, which its log says. Fires on the main thread.
  virtual void open(SessionRequest request, Completion<ToolSessionPtr> done) = 0;
  /// How the tool of this name that was on offer last is shown: {label?, icon?, suppress?, tint?}; null when it does not say. Any thread.
  [[nodiscard]] virtual common::Json presentationOf(const std::string& name) const = 0;
  /// Plugins that offer tools were loaded or disposed.
  [[nodiscard]] virtual Handle onChanged(std::function<void()> listener) = 0;
};

}  // namespace svc::agents
