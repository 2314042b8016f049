#include "server_tool.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "tool_item.h"

namespace svc::agentd {
namespace {

/// What the sessions of this daemon call the MCP server of the service (session_open.cpp).
constexpr std::string_view kOwnServer = "svc";

bool isName(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '-';
  });
}

/// mcp__SERVER__TOOL
std::optional<ServerTool> prefixedTool(std::string_view name) {
  constexpr std::string_view kPrefix = "mcp__";
  const auto end = name.starts_with(kPrefix) ? name.find("__", kPrefix.size()) : name.npos;
  if (end == name.npos || !isName(name)) {
    return std::nullopt;
  }
  return ServerTool{std::string(name.substr(kPrefix.size(), end - kPrefix.size())),
                    std::string(name.substr(end + 2))};
}

/// How agents without a member for it spell a tool of the service: mcp_svc_TOOL, svc_TOOL, svc-TOOL, TOOL (svc MCP Server).
std::optional<ServerTool> spelledTool(std::string_view name) {
  constexpr std::string_view kAfter = " (svc MCP Server)";
  auto tool = name;
  if (name.ends_with(kAfter)) {
    tool.remove_suffix(kAfter.size());
  } else {
    constexpr std::string_view kPrefix = "mcp_";
    if (tool.starts_with(kPrefix)) {
      tool.remove_prefix(kPrefix.size());
    }
    if (!tool.starts_with(kOwnServer) || tool.size() <= kOwnServer.size() ||
        (tool[kOwnServer.size()] != '_' && tool[kOwnServer.size()] != '-')) {
      return std::nullopt;
    }
    tool.remove_prefix(kOwnServer.size() + 1);
  }
  return isName(tool) ? std::optional(ServerTool{std::string(kOwnServer), std::string(tool)})
                      : std::nullopt;
}

std::optional<ServerTool> namedTool(std::string_view name) {
  auto tool = prefixedTool(name);
  return tool ? std::move(tool) : spelledTool(name);
}

}  // namespace

std::optional<ServerTool> serverTool(const ToolCall& call) {
  const auto& input = call.raw_input;
  const auto& server = input["server"].asString();
  const auto& tool = input["tool"].asString();
  if (!call.name.empty()) {
    if (auto named = namedTool(call.name)) {
      return named;
    }
  } else if (call.kind != "execute") {
    // The title of a command is the command.
    if (auto titled = namedTool(call.title)) {
      return titled;
    }
  }
  return server.empty() || tool.empty() ? prefixedTool(input["name"].asString())
                                        : std::optional(ServerTool{server, tool});
}

}  // namespace svc::agentd
