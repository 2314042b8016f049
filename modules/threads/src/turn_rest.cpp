// Agents that nobody needs now: they end, and the next message goes on with them; and turns that have no agent yet because there are as
// many as may be.
#include <utility>

#include <fmt/format.h>

#include "thread_record.h"
#include "turn_runner.h"

namespace svc::threads {

using common::Json;

void TurnRunner::bound(AgentBounds bounds) {
  later([this, bounds] { resting_agents_.setBounds(bounds); });
}

bool TurnRunner::isNeeded(const std::string& thread_id) const {
  return book_.openTurn(thread_id) || asking_.contains(thread_id) || closing_.contains(thread_id) ||
         late_.contains(thread_id) || !book_.interactions(thread_id).empty() ||
         (crew_.in_background && crew_.in_background(thread_id));
}

void TurnRunner::endResting() {
  const auto needed = [this](const std::string& id) { return isNeeded(id); };
  for (const auto& thread_id : resting_agents_.overdue(book_.now(), needed)) {
    closeSession(thread_id);
  }
  for (const auto& thread_id : resting_agents_.surplus(needed)) {
    closeSession(thread_id);
  }
}

bool TurnRunner::hasRoom(const std::string& host_id) const {
  return resting_agents_.roomOn(host_id, [this](const std::string& id) { return isNeeded(id); }).is;
}

bool TurnRunner::makeRoom(const storage::TurnRow& turn, const std::string& host_id) {
  const auto room =
      resting_agents_.roomOn(host_id, [this](const std::string& id) { return isNeeded(id); });
  if (room.is) {
    for (const auto& thread_id : room.instead_of) {
      closeSession(thread_id);
    }
    return true;
  }
  deliveries_.hold(turn.thread_id, turn.request_id);
  takePlace(
      turn.thread_id,
      {.step = Json::object()
                   .set("key", "room")
                   .set("type", "step")
                   .set("text", fmt::format("Waiting for another agent of the machine: {} are "
                                            "at work (agentProcesses.perMachine)",
                                            resting_agents_.bounds().per_machine))
                   .set("status", "active")});
  return false;
}

}  // namespace svc::threads
