#pragma once

#include <functional>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/providers/agent_sessions.h"

namespace svc::providers {

/// A skill that its machine fetches.
struct SentSkill {
  std::string name;
  std::string description;
  std::string tree;  ///< digest
};

/// A skill as an agent is told of it.
struct OfferedSkill {
  std::string name;
  std::string description;
  std::string file;  ///< absolute path of its SKILL.md
};

/// What an agent is given beside its place.
struct Outfit {
  common::Json env = common::Json::object();
  common::Json mcp_servers = common::Json::array();             ///< as ACP has them
  common::Json additional_directories = common::Json::array();  ///< absolute paths of its machine
  std::string instructions{};          ///< what it is told before its first prompt; empty = nothing
  std::vector<OfferedSkill> skills{};  ///< that are on its machine already
  std::vector<SentSkill> sent_skills{};
  bool on_server = true;       ///< it works on the server's own machine
  std::vector<Handle> kept{};  ///< what ends with the session
  /// As mcp::ThreadToken::abort_calls; empty = its agent calls nothing.
  std::function<void(bool all)> abort_calls{};
  /// Plugins choose again what the calls of the turn that begins may use; empty = no plugin offers anything. Any thread; fires on any.
  std::function<void(common::Json execution, agents::AgentContext context, Completion<void> done)>
      renew{};
};

/// Gets it together.
class IOutfitter {
 public:
  virtual ~IOutfitter() = default;
  /// Any thread; fires on any.
  virtual void prepare(const SessionRequest& request, Completion<Outfit> done) = 0;
};

}  // namespace svc::providers
