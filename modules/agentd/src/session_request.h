#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "svc/base/environment.h"
#include "svc/common/json.h"
#include "svc/kernel/result.h"

#include "skill_folders.h"

namespace svc::agentd {

/// What an agent calls the ways to be asked; empty when it has no such mode.
struct ModeNames {
  std::string ask{};
  std::string all{};

  /// "ask", "edits" or "all"; empty for others. For edits the agent asks, and the service answers in place of a person.
  [[nodiscard]] const std::string& of(std::string_view approval) const;
};

/// What the server wants of an agent beside its program, of agent.open and agent.set.
struct Choices {
  std::string approval{};
  std::string model{};
  std::string reasoning{};
  /// The agent's own name of a mode.
  std::string mode{};
  /// The agent's own option.
  std::string option_id{};
  common::Json option_value{};
};

/// agent.open.
struct SessionRequest {
  std::string session_id{};
  std::string thread_id{};
  std::string provider_id{};
  /// Of an agent that the server has configured; empty = a preset of this name.
  std::string command{};
  std::vector<std::string> args{};
  /// Of the configured agent, then of the thread.
  base::Environment environment{};
  std::string cwd{};
  common::Json mcp_servers{};
  common::Json additional_directories{};
  /// The agent's own id of a session that is to go on; empty = a new one.
  std::string resume{};
  std::string auth_method{};
  Choices choices{};
  std::vector<WantedSkill> skills{};
};

/// MCP servers whose address is a path are the server's own: they get its address, and, for agents without MCP over HTTP, `stdio`: the
/// bridge of this program (empty = there is none).
void reachServer(common::Json& servers, const std::string& server_url, const std::string& tool);

/// `invalid_input` for what is none.
[[nodiscard]] Result<SessionRequest> parseSessionRequest(const std::string& command);
[[nodiscard]] Choices parseChoices(const common::Json& body);

}  // namespace svc::agentd
