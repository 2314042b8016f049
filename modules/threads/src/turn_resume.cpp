// Sessions of agents that do not go on.
#include <utility>

#include "svc/common/codes.h"

#include "thread_record.h"
#include "turn_runner.h"

namespace svc::threads {

using common::Json;

/// An agent that ends or says nothing when it is to go on with its session would do so for ever: the turn gets a new one. The thread keeps
/// the old one until that is there, because the reason may be another.
bool TurnRunner::beginsAnew(const storage::TurnRow& turn, const Error& error) {
  const auto details = Json::parse(error.details);
  // One that ends with the daemon of its machine goes on with the next.
  const bool away = error.code == errc::kHostUnavailable || error.code == errc::kAborted;
  if (resting_ || away || !details || !details.value()["resumes"].asBool() || isAnew(turn)) {
    return false;
  }
  anew_[turn.thread_id] = {.request_id = turn.request_id, .why = error.message};
  readyEnvironment(turn);
  return true;
}

bool TurnRunner::isAnew(const storage::TurnRow& turn) const {
  const auto anew = anew_.find(turn.thread_id);
  return anew != anew_.end() && anew->second.request_id == turn.request_id;
}

bool TurnRunner::tellAnew(Edit& edit, storage::ThreadRow& thread, const storage::TurnRow& turn) {
  if (!isAnew(turn)) {
    return false;
  }
  const auto anew = anew_.find(turn.thread_id);
  edit.log(thread, "provider/warning", {},
           Json::object()
               .set("category", "general")
               .set("summary",
                    "The agent's earlier session could not go on; this is a new one, which does "
                    "not know what was said")
               .set("details", anew->second.why)
               .set("providerThreadId", textOrNull(thread.session)));
  edit.tell(thread, "events-appended");
  anew_.erase(anew);
  return true;
}

}  // namespace svc::threads
