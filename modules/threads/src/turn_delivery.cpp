// From a turn that was accepted to a prompt that its agent has: environment, session, hand-over.
#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/record_id.h"

#include "thread_limits.h"
#include "thread_record.h"
#include "turn_runner.h"

namespace svc::threads {

using common::Json;
using storage::ThreadRow;
using storage::TurnRow;

namespace {

/// No agent has been asked for before in this thread.
bool beginsNow(const ThreadBook& book, const ThreadRow& thread) {
  if (!thread.session.empty()) {
    return false;
  }
  const auto before =
      book.store().events({.thread_id = thread.id, .types = {"thread/started"}, .limit = 1});
  return before && before.value().empty();
}

/// The session has gone before it had the prompt, which goes into another one.
Error noSession() {
  return {errc::kHostUnavailable, "the agent's session has ended before it had the message"};
}

/// Who has closed it while it was opened is not this thread: the daemon of its machine stops.
Error whyNotOpened(const Error& error, bool is_wanted) {
  return is_wanted && error.code == errc::kAborted ? Error{errc::kHostUnavailable, error.message}
                                                   : error;
}

agents::AgentContext contextOf(const ThreadRow& thread, const ReadyEnvironment& environment) {
  return {.thread = {.id = thread.id,
                     .title = thread.title,
                     .parent_thread_id = thread.parent_thread_id,
                     .source_thread_id = thread.source_thread_id},
          .project = {.id = thread.project_id},
          .environment = {.id = environment.environment_id,
                          .name = environment.record["name"].asString(),
                          .path = environment.cwd,
                          .workspace_provision_type = environment.kind,
                          .branch_name = environment.record["branchName"].asString()},
          .host = {.id = environment.host_id},
          .provider = {.id = thread.provider_id},
          .origin = {.kind = thread.origin_kind, .plugin_id = thread.origin_plugin_id}};
}

std::map<std::string, Json> metadataOf(storage::IThreadStore& store, const std::string& thread_id) {
  std::map<std::string, Json> out;
  if (const auto rows = store.allMetadata(thread_id)) {
    for (const auto& row : rows.value()) {
      out[row.plugin_id] = parsed(row.metadata);
    }
  }
  return out;
}

}  // namespace

std::optional<TurnRow> TurnRunner::stillOpen(const TurnRow& turn) const {
  const auto late = late_.find(turn.thread_id);
  const bool ended = late != late_.end() && late->second.request_id == turn.request_id;
  auto open = book_.openTurn(turn.thread_id);
  return open && open->request_id == turn.request_id && !ended ? open : std::nullopt;
}

void TurnRunner::readyEnvironment(const TurnRow& turn) {
  const auto thread = book_.thread(turn.thread_id);
  if (!thread || !stillOpen(turn)) {
    return;
  }
  deliveries_.begin(turn.thread_id, turn.request_id);
  if (crew_.environments == nullptr || crew_.agents == nullptr) {
    return end(turn.thread_id, turn.request_id, TurnInput::kFail,
               {.message = "this server has no agents or no environments (any more)",
                .code = "not_supported"});
  }
  crew_.environments->resolve(
      {.thread_id = turn.thread_id,
       .project_id = thread.value().project_id,
       .environment_id = thread.value().environment_id,
       .intent = parsed(thread.value().environment)["intent"]},
      [this, turn](const PlaceNews& news) {
        later([this, turn, news] {
          // The place is kept for the next turn; of its steps nobody waits to hear.
          if (news.step.isNull() || stillOpen(turn)) {
            takePlace(turn.thread_id, news);
          }
        });
      },
      [this, turn](Result<ReadyEnvironment> ready) {
        later([this, turn, ready = std::move(ready)] {
          if (resting_ || !stillOpen(turn)) {
            return;
          }
          if (!ready) {
            return undelivered(turn, ready.error());
          }
          endProvisioning(turn.thread_id, "completed");
          openSession(turn, ready.value());
        });
      });
}

void TurnRunner::takePlace(const std::string& thread_id, const PlaceNews& news) {
  if (news.step.isNull()) {
    Edit edit(book_);
    auto found = edit.thread(thread_id);
    if (found && moveTo(*found.value(), news.environment)) {
      edit.tell(*found.value(), "environment-changed");
      (void)edit.commit();
    }
    return;
  }
  auto& [id, entries] = provisioning_[thread_id];
  if (id.empty()) {
    id = common::newRecordId("prov", book_.now());
    showProvisioning(thread_id, true);
  }
  const auto& key = news.step["key"].asString();
  auto known = std::find_if(entries.begin(), entries.end(),
                            [&key](const Json& each) { return each["key"].asString() == key; });
  auto entry = news.step;
  if (known != entries.end() && (*known)["text"].asString() == entry["text"].asString() &&
      (*known)["status"].asString() == entry["status"].asString()) {
    return;  // who asks again hears all of them again
  }
  deliveries_.heard(thread_id);
  if (known == entries.end()) {
    entries.push_back(entry.set("startedAt", book_.now()));
  } else {
    entry.set("startedAt", (*known)["startedAt"]);
    *known = std::move(entry);
  }
  logProvisioning(thread_id, "active");
}

void TurnRunner::showProvisioning(const std::string& thread_id, bool is) {
  if (crew_.runtime == nullptr) {
    return;
  }
  crew_.runtime->setProvisioning(thread_id, is);
  if (const auto thread = book_.thread(thread_id)) {
    book_.tellShown(thread.value());
  }
}

void TurnRunner::endProvisioning(const std::string& thread_id, const char* status) {
  logProvisioning(thread_id, status);
  if (provisioning_.erase(thread_id) > 0) {
    showProvisioning(thread_id, false);
  }
}

void TurnRunner::logProvisioning(const std::string& thread_id, const char* status) {
  const auto provisioning = provisioning_.find(thread_id);
  if (provisioning == provisioning_.end()) {
    return;
  }
  Edit edit(book_);
  auto found = edit.thread(thread_id);
  if (!found) {
    return;
  }
  auto& thread = *found.value();
  edit.log(thread, "system/thread-provisioning", {},
           Json::object()
               .set("environmentId", textOrNull(thread.environment_id))
               .set("provisioningId", provisioning->second.id)
               .set("status", status)
               .set("entries", Json(Json::Array(provisioning->second.entries))));
  edit.tell(thread, "events-appended");
  (void)edit.commit();
}

void TurnRunner::openSession(const TurnRow& turn, const ReadyEnvironment& environment) {
  SessionRequest request{.session = common::newRecordId("ses", book_.now()),
                         .thread_id = turn.thread_id,
                         .host_id = environment.host_id,
                         .cwd = environment.cwd};
  Result<bool> stored = true;
  {
    Edit edit(book_);
    auto found = edit.thread(turn.thread_id);
    if (!found) {
      return;
    }
    auto& thread = *found.value();
    request.provider_id = thread.provider_id;
    request.resume = isAnew(turn) ? std::string() : thread.session;
    request.execution = parsed(thread.execution);
    request.context = contextOf(thread, environment);
    request.context.plugin_metadata = metadataOf(book_.store(), thread.id);
    const bool placed = moveTo(thread, environment);
    if (placed) {
      edit.tell(thread, "environment-changed");
    }
    const bool begins = beginsNow(book_, thread);
    if (begins) {
      edit.log(thread, "thread/started", {}, Json::object());
      edit.tell(thread, "events-appended");
    }
    if (placed || begins) {
      stored = edit.commit();
    }
  }
  if (!stored) {
    return undelivered(turn, stored.error());
  }
  if (const auto live = sessions_.find(turn.thread_id);
      live != sessions_.end() &&
      (live->second.host_id != request.host_id || live->second.cwd != request.cwd)) {
    // It works in another folder: its successor goes on in this one with what it knows.
    closeSession(turn.thread_id);
  }
  if (const auto live = sessions_.find(turn.thread_id); live != sessions_.end()) {
    return crew_.agents->set(live->second.id, request.execution, request.context,
                             [this, turn, session = live->second.id](const Status& set) {
                               later([this, turn, session, set] {
                                 if (!set && set.error().code != errc::kNotFound) {
                                   warn(turn, set.error().message);
                                 }
                                 prompt(turn, session);
                               });
                             });
  }
  if (!makeRoom(turn, request.host_id)) {
    return;
  }
  const auto session = request.session;
  sessions_[turn.thread_id] = {.id = session, .host_id = request.host_id, .cwd = request.cwd};
  resting_agents_.began(turn.thread_id, request.host_id, book_.now());
  crew_.agents->open(std::move(request), [this, turn, session](Result<OpenSession> opened) {
    later([this, turn, session, opened = std::move(opened)] {
      // The thread may have another session by now, which is not touched.
      const auto live = sessions_.find(turn.thread_id);
      const bool ours = live != sessions_.end() && live->second.id == session;
      if (!opened && ours) {
        sessions_.erase(live);
        resting_agents_.ended(turn.thread_id);
      }
      if (!opened && ours && beginsAnew(turn, opened.error())) {
        return;
      }
      if (!opened || !ours) {
        return undelivered(turn, opened ? noSession() : whyNotOpened(opened.error(), ours));
      }
      {
        Edit edit(book_);
        auto found = edit.thread(turn.thread_id);
        if (found && (tellAnew(edit, *found.value(), turn) ||
                      found.value()->session != opened.value().agent_session)) {
          found.value()->session = opened.value().agent_session;
          (void)edit.commit();
        }
      }
      if (opened.value().can_go_on) {
        resting_agents_.canGoOn(turn.thread_id);
      }
      prompt(turn, session);
    });
  });
}

/// As an agent's own session does when it is opened: the turn runs with what the agent has.
void TurnRunner::warn(const TurnRow& turn, const std::string& why) {
  Edit edit(book_);
  auto found = edit.thread(turn.thread_id);
  if (found && stillOpen(turn)) {
    edit.log(*found.value(), "provider/warning", {},
             Json::object()
                 .set("category", "config")
                 .set("summary", "Not all of what was chosen for this turn could be set")
                 .set("details", why)
                 .set("providerThreadId", textOrNull(found.value()->session)));
    edit.tell(*found.value(), "events-appended");
    (void)edit.commit();
  }
}

void TurnRunner::prompt(const TurnRow& turn, const std::string& session) {
  auto open = stillOpen(turn);
  const auto live = sessions_.find(turn.thread_id);
  if (!open || open->state == nameOf(TurnState::kStarted)) {
    return;  // whoever has ended it has seen to its session
  }
  if (live == sessions_.end() || live->second.id != session) {
    return undelivered(turn, noSession());
  }
  const auto said = book_.store().events({.thread_id = turn.thread_id,
                                          .after_seq = turn.requested_seq - 1,
                                          .before_seq = turn.requested_seq + 1});
  Result<bool> stored = true;
  {
    Edit edit(book_);
    auto found = edit.thread(turn.thread_id);
    if (!found) {
      return;
    }
    // One that its machine has not got yet is dispatched already, and keeps its id.
    if (open->state == nameOf(TurnState::kAccepted)) {
      if (resting_) {
        return;
      }
      open->turn_id = common::newRecordId("turn", edit.now());
      if (!advanceTurn(edit, *found.value(), *open, TurnInput::kDispatch)) {
        return;
      }
      stored = edit.commit();
    }
  }
  if (!stored) {
    return undelivered(turn, stored.error());
  }
  const auto input =
      said && !said.value().empty() ? parsed(said.value().front().data)["input"] : Json::array();
  crew_.agents->prompt(session, open->turn_id, turn.request_id, input,
                       [this, turn, session](const Status& taken) {
                         later([this, turn, session, taken] { handedOver(turn, session, taken); });
                       });
}

void TurnRunner::handedOver(const TurnRow& turn, const std::string& session, const Status& taken) {
  const auto open = stillOpen(turn);
  if (!open) {
    return;
  }
  if (taken || open->state == nameOf(TurnState::kStarted)) {
    return deliveries_.end(turn.thread_id, turn.request_id);
  }
  const auto live = sessions_.find(turn.thread_id);
  if (live == sessions_.end() || live->second.id != session) {
    // The session has ended with the daemon of its machine before it had the prompt.
    return undelivered(turn, {errc::kHostUnavailable, taken.error().message});
  }
  if (taken.error().code == errc::kUnknownPath || taken.error().code == errc::kNotFound) {
    // The agent has not had it: its folder or the session itself is gone. Another session looks for the folder anew, and says when it
    // is not there.
    closeSession(turn.thread_id);
    return undelivered(turn, {errc::kHostUnavailable, taken.error().message});
  }
  if (taken.error().code != errc::kHostUnavailable) {
    // Whether the agent has it is not known, so this session says nothing of this thread any more.
    closeSession(turn.thread_id);
  }
  undelivered(turn, taken.error());
}

void TurnRunner::undelivered(const TurnRow& turn, const Error& error) {
  const auto open = stillOpen(turn);
  if (!open || open->state == nameOf(TurnState::kStarted)) {
    // The agent has it, whatever became of the answer.
    return deliveries_.end(turn.thread_id, turn.request_id);
  }
  if (resting_) {
    return;  // it is the server that goes, not the machine
  }
  const bool away = error.code == errc::kHostUnavailable;
  if (away && deliveries_.wait(turn.thread_id, turn.request_id, book_.now())) {
    return;
  }
  endProvisioning(turn.thread_id, "failed");
  if (away || open->state == nameOf(TurnState::kDispatched)) {
    // Who may have it all the same, or gets it later, must not begin what is reported as failed.
    closeSession(turn.thread_id);
  }
  auto message = error.message;
  if (away) {
    message += fmt::format(
        "; the message has waited {} s for its machine, send or retry it when the machine is back",
        std::chrono::duration_cast<std::chrono::seconds>(kHostWait).count());
  }
  if (const auto thread = book_.thread(turn.thread_id);
      thread && error.code == errc::kUnknownPath && crew_.environments != nullptr) {
    message += "; " + crew_.environments->lost(thread.value().environment_id, error.message);
  }
  end(turn.thread_id, turn.request_id, TurnInput::kFail,
      {.message = std::move(message), .code = std::string(error.code.name())});
}

void TurnRunner::deliverAgain() {
  for (const auto& [thread_id, request_id, for_room] : deliveries_.waiting()) {
    const auto thread = book_.thread(thread_id);
    if (for_room && thread && !hasRoom(parsed(thread.value().environment)["hostId"].asString())) {
      continue;
    }
    if (const auto turn = book_.openTurn(thread_id);
        turn && turn->request_id == request_id && turn->state != nameOf(TurnState::kStarted)) {
      readyEnvironment(*turn);
    } else {
      deliveries_.end(thread_id, request_id);
    }
  }
}

}  // namespace svc::threads
