#include "turn_edit.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/record_id.h"

#include "fork.h"
#include "open_items.h"
#include "thread_record.h"

namespace svc::threads {
namespace {

using common::Json;
using storage::InteractionRow;
using storage::ThreadRow;
using storage::TurnRow;

constexpr std::array kExecution{"model", "reasoningLevel", "permissionMode", "serviceTier"};

void endOpen(Edit& edit, ThreadRow& thread, const std::string& reason, bool agents_only) {
  for (auto row : edit.book().interactions(thread.id)) {
    if (agents_only && parsed(row.origin)["kind"].asString() == "plugin") {
      continue;
    }
    const auto& changed = edit.change.interactions;
    const bool handled = std::any_of(changed.begin(), changed.end(),
                                     [&row](const auto& each) { return each.id == row.id; });
    if (!handled) {
      (void)advanceInteraction(edit, thread, row, InteractionInput::kInterrupt, reason);
    }
  }
}

void logTurnEnd(Edit& edit, ThreadRow& thread, const TurnRow& turn, TurnState state,
                const TurnEnd& end) {
  auto data = Json::object()
                  .set("turnId", turn.turn_id)
                  .set("status", nameOf(state))
                  .set("providerThreadId", textOrNull(thread.session));
  if (!end.message.empty()) {
    auto error = Json::object().set("message", end.message);
    if (!end.code.empty()) {
      error.set("code", end.code);
    }
    data.set("error", std::move(error));
  }
  edit.log(thread, "turn/completed", turn.turn_id, data);
}

/// A member of the latest event of the type in this turn; null without one.
Json latestOf(const Edit& edit, const ThreadRow& thread, const TurnRow& turn, const char* type,
              const char* member) {
  const auto& events = edit.change.events;
  const auto fresh = std::find_if(events.rbegin(), events.rend(), [&](const auto& event) {
    return event.thread_id == thread.id && event.type == type;
  });
  if (fresh != events.rend()) {
    return parsed(fresh->data)[member];
  }
  const auto stored = edit.book().store().events({.thread_id = thread.id,
                                                  .after_seq = turn.requested_seq,
                                                  .descending = true,
                                                  .types = {type},
                                                  .limit = 1});
  return stored && !stored.value().empty() ? parsed(stored.value().front().data)[member] : Json();
}

void emitTurnFailed(Edit& edit, const ThreadRow& thread, const TurnRow& turn) {
  edit.emit("turn.failed",
            Json::object()
                .set("threadId", thread.id)
                .set("requestId", turn.request_id)
                .set("turnId", turn.started_at == 0 ? Json() : Json(turn.turn_id))
                .set("errorInfo", latestOf(edit, thread, turn, "provider/error", "errorInfo"))
                .set("inputAccepted", turn.started_at != 0)
                .set("rateLimits",
                     latestOf(edit, thread, turn, "provider/rateLimits/updated", "rateLimits"))
                .set("attemptNumber", turn.attempt));
}

/// The request in the log, and its turn.
TurnRow logRequest(Edit& edit, ThreadRow& thread, const Message& message, bool first) {
  TurnRow turn{.request_id = common::newRecordId("req", edit.now()),
               .thread_id = thread.id,
               .state = std::string(nameOf(TurnState::kAccepted)),
               .attempt = message.attempt,
               .retry_of = message.retry_of,
               .initiator = message.initiator,
               .requested_seq = thread.last_seq + 1,
               .accepted_at = edit.now()};
  auto input = message.input;
  if (message.retry_of.empty()) {
    input = withForkSeed(edit, thread, std::move(input));
  }
  auto execution = executionOf(thread, message.execution);
  auto data = Json::object()
                  .set("requestId", turn.request_id)
                  .set("input", std::move(input))
                  .set("initiator", message.initiator)
                  .set("senderThreadId", textOrNull(message.sender_thread_id))
                  .set("source", message.source)
                  .set("origin", message.origin)
                  .set("target", Json::object().set("kind", first ? "thread-start" : "new-turn"))
                  .set("execution", execution.set("source", "client/turn/requested"))
                  .set("attempt", message.attempt);
  if (!message.groups.isNull()) {
    data.set("inputGroups", message.groups);
  }
  if (!message.origin_plugin_id.empty()) {
    data.set("originPluginId", message.origin_plugin_id);
  }
  if (!message.typed) {
    data.set("typed", false);
  }
  if (!message.retry_of.empty()) {
    data.set("continuationOfRequestId", message.retry_of);
  }
  edit.log(thread, "client/turn/requested", {}, data);
  return turn;
}

void tellInteraction(Edit& edit, ThreadRow& thread, const InteractionRow& row) {
  edit.tell(thread, "interactions-changed",
            Json::object().set("hasPendingInteraction", storage::isOpenInteraction(row)));
}

/// The log says once that an answer did not get through, however often it is tried again meanwhile.
bool isTriedInVain(const InteractionRow& row, InteractionInput input, const std::string& reason) {
  return !row.status_reason.empty() &&
         (input == InteractionInput::kAnswer ||
          (input == InteractionInput::kDeliveryFailed && row.status_reason == reason));
}

}  // namespace

bool isStopping(const ThreadRow& thread) { return thread.status == nameOf(ThreadState::kStopping); }

void endInteractions(Edit& edit, ThreadRow& thread, const std::string& reason) {
  endOpen(edit, thread, reason, false);
}

bool moveTo(ThreadRow& thread, const ReadyEnvironment& environment) {
  auto record = Json::object()
                    .set("intent", parsed(thread.environment)["intent"])
                    .set("hostId", environment.host_id);
  for (const auto& [key, value] : environment.record.members()) {
    record.set(key, value);
  }
  auto text = record.dump();
  if (thread.environment_id == environment.environment_id && thread.environment == text) {
    return false;
  }
  thread.environment_id = environment.environment_id;
  thread.environment = std::move(text);
  return true;
}

Json wantedOf(const Json& options) {
  auto out = Json::object();
  for (const char* member : kExecution) {
    if (!options[member].isNull()) {
      out.set(member, options[member]);
    }
  }
  return out;
}

Json executionOf(const ThreadRow& thread, const Json& wanted) {
  const auto own = parsed(thread.execution);
  auto out = Json::object();
  for (const char* member : kExecution) {
    out.set(member, wanted[member].isNull() ? own[member] : wanted[member]);
  }
  if (out["permissionMode"].isNull()) {
    out.set("permissionMode", "auto");
  }
  if (out["serviceTier"].isNull()) {
    out.set("serviceTier", "default");
  }
  return out;
}

Result<TurnRow> acceptTurn(Edit& edit, ThreadRow& thread, const Message& message) {
  const bool fresh = thread.status == nameOf(ThreadState::kStarting) &&
                     !edit.book().openTurn(thread.id).has_value();
  const bool first = fresh || thread.last_seq == 0;
  if (!fresh) {
    if (!edit.feed(thread, ThreadInput::kRunPreparing)) {
      return Error{errc::kConflict,
                   thread.archived_at != 0
                       ? std::string("the thread is archived; unarchive it first")
                       : fmt::format("the thread is {}; wait for its end or queue the message",
                                     thread.status)};
    }
  }
  thread.execution = executionOf(thread, message.execution).dump();
  auto turn = logRequest(edit, thread, message, first);
  edit.change.turns.push_back(turn);
  thread.updated_at = edit.now();
  return turn;
}

void refuseTurn(Edit& edit, ThreadRow& thread, const Message& message, const TurnEnd& why) {
  const bool first = thread.status == nameOf(ThreadState::kPending);
  if (first) {
    (void)edit.feed(thread, ThreadInput::kRunPreparing);
  }
  auto turn = logRequest(edit, thread, message, first);
  (void)advanceTurn(edit, thread, turn, TurnInput::kFail, why);
}

Json waitOf(const ThreadBook& book, const ThreadRow& thread) {
  const auto waits = [](const char* kind) { return Json::object().set("kind", kind); };
  if (!book.interactions(thread.id).empty()) {
    return waits("interaction");
  }
  if (!isBusy(threadStateOf(thread.status).value_or(ThreadState::kIdle))) {
    return {};
  }
  return waits(book.record(thread)["runtime"]["displayStatus"].asString() == "provisioning"
                   ? "provisioning"
                   : "thread-busy");
}

Json waitingRecord(const storage::QueuedMessageRow& row, const Json& wait, std::int64_t now) {
  auto record = toRecord(row);
  const auto& own = record["waitingOn"];
  const bool is_due = own["kind"].asString() == "time" && row.send_at <= now;
  return own.isNull() || is_due ? record.set("waitingOn", wait) : record;
}

Json leavingRecord(storage::QueuedMessageRow row) {
  row.waiting_on.clear();
  return toRecord(row);
}

bool steers(const storage::QueuedMessageRow& row) { return parsed(row.options)["steers"].asBool(); }

void touch(const Edit& edit, storage::QueuedMessageRow& row) {
  row.updated_at = std::max(edit.now(), row.updated_at + 1);
}

void nowWaitsFor(Edit& edit, const ThreadRow& thread, storage::QueuedMessageRow row,
                 const Json& waiting) {
  row.waiting_on = waiting.isNull() ? std::string() : waiting.dump();
  touch(edit, row);
  edit.change.queued.push_back(std::move(row));
  edit.tell(thread, "queue-changed");
}

storage::QueuedMessageRow& queueRow(Edit& edit, const Message& message, std::string sort_key,
                                    std::int64_t send_at, const Json& waiting) {
  auto payload = Json::object().set("kind", message.retry_of.empty() ? "inline" : "retry");
  if (!message.retry_of.empty()) {
    payload.set("retryOfTurnRequestId", message.retry_of).set("attempt", message.attempt);
  }
  auto options = message.execution.isNull() ? Json::object() : message.execution;
  options.set("initiator", message.initiator)
      .set("senderThreadId", textOrNull(message.sender_thread_id))
      .set("executionInputSources", message.sources)
      .set("source", message.source)
      .set("origin", message.origin)
      .set("originPluginId", textOrNull(message.origin_plugin_id));
  if (!message.typed) {
    options.set("typed", false);
  }
  if (message.steers) {
    options.set("steers", true);
  }
  const auto thread = edit.thread(message.thread_id);
  const auto wait = thread ? waitOf(edit.book(), *thread.value()) : Json();
  auto& row = edit.change.queued.emplace_back(
      storage::QueuedMessageRow{.id = common::newRecordId("qm", edit.now()),
                                .thread_id = message.thread_id,
                                .sort_key = std::move(sort_key),
                                .content = message.input.dump(),
                                .options = options.dump(),
                                .send_at = send_at,
                                .waiting_on = waiting.isNull() ? std::string() : waiting.dump(),
                                .payload = payload.dump(),
                                .created_at = edit.now(),
                                .updated_at = edit.now()});
  edit.emit("message.queued", Json::object().set("entry", waitingRecord(row, wait, edit.now())));
  return row;
}

Message messageOf(const storage::QueuedMessageRow& row) {
  const auto options = parsed(row.options);
  const auto payload = parsed(row.payload);
  Message message{.thread_id = row.thread_id,
                  .input = parsed(row.content),
                  .execution = wantedOf(options),
                  .sources = options["executionInputSources"],
                  .initiator = options["initiator"].asString(),
                  .sender_thread_id = options["senderThreadId"].asString(),
                  .source = options["source"].asString() == "spawn" ? "spawn" : "tell",
                  .origin_plugin_id = options["originPluginId"].asString(),
                  .retry_of = payload["retryOfTurnRequestId"].asString(),
                  .attempt = payload["attempt"].asInteger(1),
                  .typed = options["typed"].asBool(true)};
  if (options["origin"].isString()) {
    message.origin = options["origin"].asString();
  }
  return message;
}

bool advanceTurn(Edit& edit, ThreadRow& thread, TurnRow& turn, TurnInput input,
                 const TurnEnd& end) {
  const auto step = advance(turnStateOf(turn.state).value_or(TurnState::kFailed), input);
  if (!step) {
    return false;
  }
  turn.state = std::string(nameOf(step->state));
  if (step->state == TurnState::kDispatched) {
    turn.dispatched_at = edit.now();
  } else if (step->state == TurnState::kStarted) {
    turn.started_at = edit.now();
  } else {
    turn.ended_at = edit.now();
    turn.error = end.message;
  }
  for (const auto effect : step->effects) {
    if (effect == TurnEffect::kLogStarted) {
      // The one line that has both ids.
      edit.log(thread, "turn/input/accepted", turn.turn_id,
               Json::object()
                   .set("clientRequestId", turn.request_id)
                   .set("requestId", turn.request_id)
                   .set("providerThreadId", textOrNull(thread.session)));
    } else if (effect == TurnEffect::kLogRejected) {
      edit.log(thread, "client/turn/rejected", {},
               Json::object()
                   .set("requestId", turn.request_id)
                   .set("reason", end.code.empty() ? turn.state : end.code)
                   .set("message", end.message));
    } else if (effect == TurnEffect::kLogEnded && !end.told) {
      closeOpenItems(edit, thread, turn, end.texts);
      logTurnEnd(edit, thread, turn, step->state, end);
    } else if (effect == TurnEffect::kEndInteractions) {
      // What a plugin asks in a call that goes on outlives a turn that ends well, unless it was to stop.
      endOpen(edit, thread, end.code.empty() ? "request-aborted" : end.code,
              step->state == TurnState::kCompleted && !isStopping(thread));
    } else if (effect == TurnEffect::kEmitFailed) {
      emitTurnFailed(edit, thread, turn);
    }
  }
  if (step->thread) {
    if (*step->thread == ThreadInput::kStopSettled) {
      // Nobody need have asked for the stop: a machine can be lost, a server restart.
      (void)edit.feed(thread, ThreadInput::kStopRequested);
    }
    (void)edit.feed(thread, *step->thread);
  }
  auto& turns = edit.change.turns;
  std::erase_if(turns, [&](const auto& each) { return each.request_id == turn.request_id; });
  turns.push_back(turn);
  return true;
}

void logInteraction(Edit& edit, ThreadRow& thread, const InteractionRow& row) {
  const auto origin = parsed(row.origin);
  const auto payload = parsed(row.payload);
  auto data = Json::object().set("interactionId", row.id);
  const char* type = "system/pluginInteraction/lifecycle";
  if (origin["kind"].asString() == "provider") {
    data.set("providerId", origin["providerId"])
        .set("providerRequestId", origin["providerRequestId"]);
    const bool question = payload["kind"].asString() == "user_question";
    type = question ? "system/userQuestion/lifecycle" : "system/permissionGrant/lifecycle";
    data.set(question ? "payload" : "subject", question ? payload : payload["subject"]);
    data.set("resolution", parsed(row.resolution));
  } else {
    data.set("pluginId", origin["pluginId"])
        .set("rendererId", origin["rendererId"])
        .set("title", payload["title"]);
    if (const auto description = parsed(row.resolution)["description"]; !description.isNull()) {
      data.set("description", description);
    }
  }
  data.set("status", row.status).set("statusReason", textOrNull(row.status_reason));
  edit.log(thread, type, row.turn_id, data);
  tellInteraction(edit, thread, row);
}

bool advanceInteraction(Edit& edit, ThreadRow& thread, InteractionRow& row, InteractionInput input,
                        const std::string& reason, const Json& resolution) {
  const auto step =
      advance(interactionStateOf(row.status).value_or(InteractionState::kInterrupted), input);
  if (!step) {
    return false;
  }
  const bool again = isTriedInVain(row, input, reason);
  row.status = std::string(nameOf(step->state));
  if (input != InteractionInput::kAnswer) {
    row.status_reason = reason;
  }
  if (step->state == InteractionState::kPending) {
    row.resolution.clear();
  } else if (!resolution.isNull()) {
    row.resolution = resolution.dump();
  }
  if (!isOpen(step->state)) {
    row.resolved_at = edit.now();
  }
  if (again) {
    tellInteraction(edit, thread, row);
  } else {
    logInteraction(edit, thread, row);
  }
  edit.change.interactions.push_back(row);
  return true;
}

}  // namespace svc::threads
