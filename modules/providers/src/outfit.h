#pragma once

#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/providers/agent_sessions.h"

namespace svc::providers {

/// What an agent is given beside its place.
struct Outfit {
  common::Json env = common::Json::object();
  common::Json mcp_servers = common::Json::array();             ///< as ACP has them
  common::Json additional_directories = common::Json::array();  ///< absolute paths of its machine
  std::string preamble{};      ///< the first block of the first prompt; empty = none
  bool on_server = true;       ///< it works on the server's own machine
  std::vector<Handle> kept{};  ///< what ends with the session
};

/// Gets it together.
class IOutfitter {
 public:
  virtual ~IOutfitter() = default;
  /// Any thread; fires on any.
  virtual void prepare(const SessionRequest& request, Completion<Outfit> done) = 0;
};

}  // namespace svc::providers
