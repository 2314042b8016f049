#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "svc/common/json.h"
#include "svc/hostprotocol/agents.h"
#include "svc/kernel/executor.h"
#include "svc/providers/agent_sessions.h"

#include "agent_prompt.h"
#include "permission_policy.h"

namespace svc::providers {

/// One session as the server sees it.
struct SessionEntry {
  std::string thread_id{};
  std::string host_id{};
  std::string provider_id{};
  std::string project_id{};
  PromptPlace place{};
  bool opening = true;  ///< agent.open is not answered
  bool running = false;
  bool prompted = false;       ///< before its first prompt it is about to run
  std::string reading{};       ///< the turn whose attachments are being read; empty = none
  bool closed = false;         ///< nobody wants it any more
  std::uint64_t last_use = 0;  ///< counts, so that the one that rests longest is known
  Outfit outfit{};             ///< as far as it is not handed over
  std::string preamble{};      ///< goes with the first prompt

  PermissionPolicy policy{};
  std::string choices{};  ///< the last that its agent was told of mode, model and level

  std::int64_t stored = 0;           ///< the last that was taken
  std::int64_t acknowledged = 0;     ///< the last that its machine was told of
  std::int64_t heard = 0;            ///< the last that came
  std::deque<AgentEvent> waiting{};  ///< the first one is being taken
  bool taking = false;
  Handle again{};  ///< when the first one is offered again

  /// Its end waits to be taken.
  [[nodiscard]] bool ends() const {
    return !waiting.empty() && waiting.back().type == hostprotocol::agent_event::kSessionEnded;
  }
  /// The events that are new; empty when all of them have come before.
  [[nodiscard]] std::vector<AgentEvent> novelties(const std::string& session,
                                                  const common::Json& events) const {
    std::vector<AgentEvent> out;
    auto last = heard;
    for (const auto& event : events.items()) {
      const auto seq = event["seq"].asInteger();
      if (seq > last) {
        last = seq;
        out.push_back({.thread_id = thread_id,
                       .session = session,
                       .seq = seq,
                       .type = event["type"].asString(),
                       .turn_id = event["turnId"].asString(),
                       .data = event["data"]});
      }
    }
    return out;
  }
};

}  // namespace svc::providers
