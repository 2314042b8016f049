#pragma once

#include <optional>
#include <string>

namespace svc::agentd {

struct ToolCall;

struct ServerTool {
  std::string server;
  std::string tool;
};

/// The tool of an MCP server that is called, whatever kind of call the agent makes of it: by the name that it tells, with server and
/// tool among the arguments, through a tool of the agent that calls others, or by a title that is made of both.
[[nodiscard]] std::optional<ServerTool> serverTool(const ToolCall& call);

}  // namespace svc::agentd
