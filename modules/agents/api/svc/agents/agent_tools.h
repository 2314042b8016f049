#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

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
};

/// Where a call comes from; empty for an MCP client outside of a thread.
struct ToolContext {
  std::string thread_id;
  std::string project_id;
};

struct ToolResult {
  common::RawJson content;  ///< array of text and image parts
  bool is_error = false;
};

/// What one plugin adds to an agent session for a thread, after its `configure` and `contributeInstructions`.
struct AgentContribution {
  std::string plugin_id;
  std::vector<AgentTool> tools;
  std::optional<std::vector<std::string>> skills;  ///< absent: all of the plugin
  std::string instructions;                        ///< of contributeInstructions; empty = none
  std::string configured_instructions;             ///< of configure; empty = none
};

/// The tools that loaded plugins offer to agents. Main thread, but for call().
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
  /// Asks every plugin what it offers for a thread; `context` is the AgentContext as JSON. A plugin that fails or does not answer
  /// within lim.agentCallback contributes neither tools nor skills. Fires on the main thread, ascending by plugin id.
  virtual void contributions(common::Json context,
                             Completion<std::vector<AgentContribution>> done) = 0;
  /// Plugins that offer tools were loaded or disposed.
  [[nodiscard]] virtual Handle onChanged(std::function<void()> listener) = 0;
};

}  // namespace svc::agents
