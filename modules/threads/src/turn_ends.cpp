// How runs end: by a stop, with the server, or because nothing more can come of them. What the store cannot take of it is kept, and
// stored before anything else of the thread.
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "thread_limits.h"
#include "thread_record.h"
#include "turn_runner.h"

namespace svc::threads {

using common::Json;

namespace {

void logStop(Edit& edit, storage::ThreadRow& thread, const std::string& reason) {
  edit.log(thread, "system/thread/interrupted", {}, Json::object().set("reason", reason));
}

TurnEnd endOfStopped() { return {.message = "the turn was stopped", .code = "thread-stopped"}; }

/// What the server before has told of making the environment has come to no end; what is done now is told anew.
void endOldProvisioning(Edit& edit, storage::ThreadRow& thread, const storage::TurnRow& turn) {
  const auto told = edit.book().store().events({.thread_id = thread.id,
                                                .after_seq = turn.requested_seq,
                                                .descending = true,
                                                .types = {"system/thread-provisioning"},
                                                .limit = 1});
  if (!told || told.value().empty()) {
    return;
  }
  if (auto data = parsed(told.value().front().data); data["status"].asString() == "active") {
    edit.log(thread, "system/thread-provisioning", {}, data.set("status", "cancelled"));
    edit.tell(thread, "events-appended");
  }
}

/// No agent can have had it, and nobody has asked to stop it: it is brought to its agent by the next start.
bool outlivesServer(const storage::ThreadRow& thread, const storage::TurnRow& turn) {
  return turn.state == nameOf(TurnState::kAccepted) &&
         thread.status == nameOf(ThreadState::kStarting) && thread.archived_at == 0;
}

}  // namespace

Status TurnRunner::recoverThreads() {
  Status failed;
  for (auto& id : std::exchange(unrecovered_, {})) {
    if (auto stored = recoverThread(id); !stored) {
      failed = std::move(stored);
      unrecovered_.push_back(std::move(id));
    } else if (crew_.live != nullptr) {
      crew_.live->forget(id);
    }
  }
  return failed;
}

Status TurnRunner::recoverThread(const std::string& thread_id) {
  const auto thread = book_.thread(thread_id);
  const auto turn = book_.openTurn(thread_id);
  if (!thread || !turn || !outlivesServer(thread.value(), *turn)) {
    auto ended = interrupt(thread_id);
    if (const auto now = book_.thread(thread_id); now && now.value().owes_idle) {
      owing_.insert(thread_id);
    }
    return ended;
  }
  {
    Edit edit(book_);
    auto found = edit.thread(thread_id);
    if (!found) {
      return {};
    }
    auto& row = *found.value();
    endInteractions(edit, row, "server-restarted");
    endOldProvisioning(edit, row, *turn);
    if (!edit.change.events.empty()) {
      if (auto stored = edit.commit(); !stored) {
        return std::move(stored).error();
      }
    }
  }
  outliving_.push_back(*turn);
  return {};
}

void TurnRunner::bringOutliving() {
  for (auto& turn : std::exchange(outliving_, {})) {
    later([this, turn = std::move(turn)] { readyEnvironment(turn); });
  }
}

Status TurnRunner::interrupt(const std::string& thread_id) {
  Edit edit(book_);
  const auto found = edit.thread(thread_id);
  if (!found) {
    return {};  // removed meanwhile
  }
  auto& thread = *found.value();
  auto turn = book_.openTurn(thread_id);
  const auto state = threadStateOf(thread.status).value_or(ThreadState::kIdle);
  if (turn && turn->state == nameOf(TurnState::kAccepted)) {
    (void)advanceTurn(edit, thread, *turn, TurnInput::kInterrupt, endOfStopped());
  } else if (turn) {
    edit.log(thread, "system/thread/interrupted", {},
             Json::object().set("reason", "server-restart"));
    (void)advanceTurn(edit, thread, *turn, TurnInput::kInterrupt,
                      {.message = "the server was restarted while the turn ran",
                       .code = "server-restarted",
                       .texts = liveTexts(thread_id)});
  } else if (isBusy(state)) {
    (void)edit.feed(thread, ThreadInput::kStopRequested);
    (void)edit.feed(thread, ThreadInput::kStopSettled);
  }
  for (auto asked : book_.interactions(thread_id)) {
    if (!turn || asked.turn_id != turn->turn_id) {
      (void)advanceInteraction(edit, thread, asked, InteractionInput::kInterrupt,
                               "server-restarted");
    }
  }
  if (edit.change.events.empty() && !isBusy(state)) {
    return {};
  }
  for (const auto& [id, effect] : edit.effects()) {
    thread.owes_idle = thread.owes_idle || effect == ThreadEffect::kEmitIdle;
  }
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  return {};
}

void TurnRunner::ready() {
  auto heard = [this](const Status&) {
    later([this] {
      plugins_hear_ = true;
      tellAllOwed();
    });
  };
  if (crew_.plugins == nullptr || crew_.main == nullptr) {
    return heard({});
  }
  crew_.plugins->settled(*crew_.main, limits::kPluginsStart,
                         [alive = std::weak_ptr(alive_), heard](const Status& settled) {
                           if (!alive.expired()) {
                             heard(settled);
                           }
                         });
}

void TurnRunner::tellOwed(Edit& edit, storage::ThreadRow& thread) const {
  if (std::exchange(thread.owes_idle, false)) {
    emitIdle(edit, thread);
  }
}

void TurnRunner::tellAllOwed() {
  if (!plugins_hear_) {
    return;
  }
  for (const auto& id : std::exchange(owing_, {})) {
    Edit edit(book_);
    auto found = edit.thread(id);
    if (!found || !found.value()->owes_idle) {
      continue;  // deleted, or told before its next turn
    }
    tellOwed(edit, *found.value());
    if (!edit.commit()) {
      owing_.insert(id);
    }
  }
}

void TurnRunner::close() {
  resting_ = true;
  closed_ = true;
  for (const auto& row : book_.threads()) {
    if (const auto turn = book_.openTurn(row.id); turn && !outlivesServer(row, *turn)) {
      (void)interrupt(row.id);  // what cannot be stored now is ended at the next start
    }
  }
}

LiveTexts::Texts TurnRunner::liveTexts(const std::string& thread_id) const {
  return crew_.live == nullptr ? LiveTexts::Texts() : crew_.live->of(thread_id);
}

void TurnRunner::stop(std::string thread_id, std::string reason, Completion<Json> done) {
  onLane<Json>(std::move(done), [this, thread_id = std::move(thread_id),
                                 reason = std::move(reason)](Completion<Json> answer) {
    doStop(thread_id, reason, std::make_shared<Completion<Json>>(std::move(answer)));
  });
}

void TurnRunner::stopThen(std::vector<std::string> thread_ids, std::string reason, Task job) {
  later([this, ids = std::move(thread_ids), reason = std::move(reason),
         job = std::move(job)]() mutable {
    for (const auto& id : ids) {
      doStop(id, reason, std::make_shared<Completion<Json>>([](const Result<Json>&) {}));
    }
    job();
  });
}

void TurnRunner::doStop(const std::string& thread_id, const std::string& reason, const Done& done) {
  const auto row = book_.thread(thread_id);
  if (!row) {
    return (*done)(row.error());
  }
  auto turn = book_.openTurn(thread_id);
  if (!turn) {
    closeSession(thread_id);
    Edit edit(book_);
    auto& thread = *edit.thread(thread_id).value();
    endInteractions(edit, thread, reason == "thread-deleted" ? reason : "thread-stopped");
    if (!edit.change.interactions.empty()) {
      if (auto stored = edit.commit(); !stored) {
        return (*done)(stored.error());
      }
    }
    return (*done)(book_.record(row.value()));
  }
  beginStop(thread_id, reason == "thread-deleted" ? "manual-stop" : reason);
  auto stopped = endOfStopped();
  if (reason == "thread-deleted") {
    stopped.code = reason;
  }
  const auto session = sessions_.find(thread_id);
  // Whether the agent has a prompt that is on its way is not known, so there may be nothing to cancel yet.
  const bool on_its_way =
      turn->state != nameOf(TurnState::kStarted) && deliveries_.has(thread_id, turn->request_id);
  // Nobody hears the end of what a deleted thread does.
  if (turn->state == nameOf(TurnState::kAccepted) || session == sessions_.end() || on_its_way ||
      reason == "thread-deleted") {
    end(thread_id, turn->request_id, TurnInput::kInterrupt, stopped);
    closeSession(thread_id);
    return (*done)(book_.record(book_.thread(thread_id).value()));
  }
  closing_.insert(thread_id);
  crew_.agents->cancel(session->second.id, [this, thread_id, request = turn->request_id, stopped,
                                            done](const Status& cancelled) {
    later([this, thread_id, request, stopped, done, cancelled] {
      if (const auto open = book_.openTurn(thread_id);
          !cancelled && open && open->request_id == request) {
        end(thread_id, request, TurnInput::kInterrupt, stopped);
        // The agent may go on with it, which is nobody's any more.
        closeSession(thread_id);
      }
      const auto now = book_.thread(thread_id);
      (*done)(now ? Result<Json>(book_.record(now.value())) : now.error());
    });
  });
}

void TurnRunner::beginStop(const std::string& thread_id, const std::string& reason) {
  (void)storeLate(thread_id);
  {
    Edit edit(book_);
    auto found = edit.thread(thread_id);
    if (!found || !edit.feed(*found.value(), ThreadInput::kStopRequested)) {
      return;
    }
    logStop(edit, *found.value(), reason);
    if (edit.commit()) {
      return;
    }
  }
  Edit shown(book_);
  if (auto found = shown.thread(thread_id)) {
    (void)shown.feed(*found.value(), ThreadInput::kStopRequested);
    shown.show();
    late_[thread_id].stop_reason = reason;
  }
}

void TurnRunner::end(const std::string& thread_id, const std::string& request_id, TurnInput input,
                     TurnEnd why) {
  why.texts = liveTexts(thread_id);
  (void)storeLate(thread_id);
  {
    Edit edit(book_);
    auto found = edit.thread(thread_id);
    auto turn = book_.openTurn(thread_id);
    if (!found || !turn || turn->request_id != request_id ||
        !advanceTurn(edit, *found.value(), *turn, input, why)) {
      return;
    }
    settle(edit, *found.value());
    if (!edit.commit()) {
      auto& late = late_[thread_id];
      late.request_id = request_id;
      late.input = input;
      late.end = std::move(why);
    }
  }
  deliveries_.end(thread_id, request_id);
  anew_.erase(thread_id);
  endProvisioning(thread_id, "cancelled");
  if (crew_.environments != nullptr) {
    crew_.environments->abandon(thread_id);
  }
  if (crew_.live != nullptr) {
    crew_.live->forget(thread_id);
  }
}

bool TurnRunner::storeLate(const std::string& thread_id) {
  const auto found_late = late_.find(thread_id);
  if (found_late == late_.end()) {
    return true;
  }
  const auto& late = found_late->second;
  Edit edit(book_);
  if (auto found = edit.thread(thread_id)) {
    auto& thread = *found.value();
    if (!late.stop_reason.empty()) {
      logStop(edit, thread, late.stop_reason);
    }
    if (auto turn = book_.openTurn(thread_id);
        turn && turn->request_id == late.request_id &&
        advanceTurn(edit, thread, *turn, late.input, late.end)) {
      settle(edit, thread);
    }
    if (!edit.commit()) {
      return false;
    }
  }
  late_.erase(found_late);
  return true;
}

void TurnRunner::storeAllLate() {
  std::vector<std::string> ids;
  for (const auto& [id, late] : late_) {
    ids.push_back(id);
  }
  for (const auto& id : ids) {
    (void)storeLate(id);
  }
}

void TurnRunner::closeSession(const std::string& thread_id) {
  closing_.erase(thread_id);
  told_items_.erase(thread_id);
  if (crew_.live != nullptr) {
    crew_.live->forget(thread_id);
  }
  if (const auto session = sessions_.find(thread_id); session != sessions_.end()) {
    const auto id = session->second.id;
    sessions_.erase(session);
    resting_agents_.ended(thread_id);
    crew_.agents->close(id, [](const Status&) {});
  }
}

}  // namespace svc::threads
