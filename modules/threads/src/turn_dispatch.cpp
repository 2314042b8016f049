#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/record_id.h"
#include "svc/common/sort_key.h"

#include "thread_limits.h"
#include "thread_record.h"
#include "turn_runner.h"

namespace svc::threads {

using common::Json;
using storage::QueuedMessageRow;
using storage::ThreadRow;
using storage::TurnRow;

namespace {

Error rejected(const agents::DispatchDecision& decision) {
  return {
      errc::kDispatchRejected,
      fmt::format("the plugin \"{}\" refused the message: {}", decision.plugin_id, decision.text),
      Json::object().set("pluginId", decision.plugin_id).dump()};
}

Json waitingFor(const agents::DispatchDecision& decision) {
  return Json::object()
      .set("kind", "plugin")
      .set("pluginId", decision.plugin_id)
      .set("reason", decision.text);
}

/// All but the records of other modules.
Json hookContext(const ThreadBook& book, const Message& message, const ThreadRow& thread) {
  auto queued = Json::array();
  for (const auto& row : book.queue(message.thread_id)) {
    queued.push(toRecord(row));
  }
  return Json::object()
      .set("thread", book.record(thread))
      .set("attempt", "start-turn")
      .set("environmentIntent",
           thread.environment_id.empty() ? parsed(thread.environment)["intent"] : Json())
      .set("input", Json::object().set("blocks", message.input).set("text", textOf(message.input)))
      .set("requestedExecution", message.execution)
      .set("executionSources", message.sources.isNull() ? Json::object() : message.sources)
      .set("origin", message.origin)
      .set("originPluginId", textOrNull(message.origin_plugin_id))
      .set("parentThreadId", textOrNull(thread.parent_thread_id))
      .set("initiator", message.initiator)
      .set("senderThreadId", textOrNull(message.sender_thread_id))
      .set("queuedMessages", std::move(queued));
}

struct HookRecord {
  const char* member;
  const char* route;
};
constexpr std::array kHookRecords{HookRecord{"project", "/api/v1/projects/"},
                                  HookRecord{"environment", "/api/v1/environments/"},
                                  HookRecord{"host", "/api/v1/hosts/"}};

/// Adds the records one after the other, in the order of the table; `ids` as there, empty = null.
void addRecords(const RouteLookup& lookup, std::array<std::string, kHookRecords.size()> ids,
                std::size_t at, Json context, std::function<void(const Json& context)> done) {
  while (at < ids.size() && (ids.at(at).empty() || !lookup)) {
    context.set(kHookRecords.at(at++).member, nullptr);
  }
  if (at == ids.size()) {
    return done(context);
  }
  const auto [member, route] = kHookRecords.at(at);
  lookup(route + ids.at(at), [lookup, ids, at, member, context = std::move(context),
                              done = std::move(done)](const Result<Json>& body) mutable {
    context.set(member, body ? body.value()[member] : Json());
    addRecords(lookup, std::move(ids), at + 1, std::move(context), std::move(done));
  });
}

/// The thread is there from now on; false when it was before.
bool place(Edit& edit, ThreadRow& thread, const ReadyEnvironment& environment) {
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
  edit.tell(thread, "environment-changed");
  return true;
}

/// No agent has been asked for before in this thread.
bool beginsNow(const ThreadBook& book, const ThreadRow& thread) {
  if (!thread.session.empty()) {
    return false;
  }
  const auto before =
      book.store().events({.thread_id = thread.id, .types = {"thread/started"}, .limit = 1});
  return before && before.value().empty();
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
                          .branch_name = environment.record["branchName"].asString()},
          .host = {.id = environment.host_id},
          .provider = {.id = thread.provider_id},
          .origin = {.kind = thread.origin_kind, .plugin_id = thread.origin_plugin_id}};
}

}  // namespace

void TurnRunner::decide(
    const Json& context,
    std::function<void(const Result<agents::DispatchDecision>& decision)> decided) {
  crew_.main->post(
      [this, context = common::RawJson(context.dump()), decided = std::move(decided)]() mutable {
        crew_.hooks->decide(std::move(context), [this, decided = std::move(decided)](
                                                    Result<agents::DispatchDecision> decision) {
          later([decided, decision = std::move(decision)] { decided(decision); });
        });
      });
}

void TurnRunner::askHooks(Attempt attempt, const Done& done) {
  if (crew_.hooks == nullptr || crew_.main == nullptr) {
    return decided(std::move(attempt), agents::DispatchDecision{}, done);
  }
  const auto row = book_.thread(attempt.message.thread_id);
  if (!row && !attempt.spawn) {
    return (*done)(row.error());
  }
  const auto& thread = attempt.spawn ? attempt.spawn->row : row.value();
  const auto place = parsed(thread.environment);
  const auto& host = place["hostId"].isNull() ? place["intent"]["hostId"] : place["hostId"];
  auto context = hookContext(book_, attempt.message, thread);
  if (attempt.mixed) {
    context.set("initiator", "mixed");
  }
  std::array ids{thread.project_id, thread.environment_id, host.asString()};
  asking_.insert(attempt.message.thread_id);
  auto shared = std::make_shared<Attempt>(std::move(attempt));
  addRecords(
      crew_.lookup, std::move(ids), 0, std::move(context), [this, shared, done](const Json& whole) {
        decide(whole, [this, shared, done](const Result<agents::DispatchDecision>& decision) {
          asking_.erase(shared->message.thread_id);
          decided(std::move(*shared), decision, done);
        });
      });
}

/// Rows that a plugin has refused become a turn that failed: nobody waits for the answer, and what they say must not be lost.
void TurnRunner::refuseQueued(const Attempt& attempt, const std::string& why) {
  const auto& ids = attempt.queued_ids;
  if (ids.empty()) {
    return;
  }
  Edit edit(book_);
  auto found = edit.thread(attempt.message.thread_id);
  if (!found) {
    return;
  }
  auto& thread = *found.value();
  for (const auto& row : book_.queue(thread.id)) {
    if (std::find(ids.begin(), ids.end(), row.id) != ids.end()) {
      edit.emit("message.cancelled", Json::object().set("entry", toRecord(row)));
    }
  }
  refuseTurn(edit, thread, attempt.message, {.message = why, .code = "dispatch_rejected"});
  settle(edit, thread);
  edit.change.gone_queued = ids;
  edit.tell(thread, "queue-changed");
  (void)edit.commit();
}

void TurnRunner::decided(Attempt attempt, const Result<agents::DispatchDecision>& decision,
                         const Done& done) {
  using Kind = agents::DispatchDecision::Kind;
  if (!decision) {
    return (*done)(decision.error());
  }
  const auto& found = decision.value();
  if (found.kind == Kind::kReject) {
    refuseQueued(attempt, found.text);
    return (*done)(rejected(found));
  }
  if (found.kind == Kind::kWait) {
    return (*done)(park(attempt, found.send_at.value_or(0), waitingFor(found)));
  }
  (*done)(accept(attempt));
}

Result<Json> TurnRunner::park(const Attempt& attempt, std::int64_t send_at, const Json& waiting) {
  if (attempt.queued_ids.empty() && !attempt.spawn) {
    return queueMessage(attempt.message, send_at, waiting, false);
  }
  if (!attempt.spawn) {
    Edit edit(book_);
    for (auto row : book_.queue(attempt.message.thread_id)) {
      if (row.id == attempt.queued_ids.front()) {
        row.waiting_on = waiting.dump();
        row.send_at = send_at;
        edit.change.queued.push_back(std::move(row));
      }
    }
    auto stored = edit.commit();
    return stored ? Result<Json>(Json()) : stored.error();
  }
  Edit edit(book_);
  auto& thread = addThread(edit, *attempt.spawn, ThreadState::kPending);
  auto message = attempt.message;
  message.thread_id = thread.id;
  queueRow(edit, message, common::sortKeyBetween({}, {}), send_at, waiting);
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  return book_.record(thread);
}

Result<Json> TurnRunner::accept(const Attempt& attempt) {
  std::optional<TurnRow> turn;
  Result<Json> answer = Json();
  {
    Edit edit(book_);
    ThreadRow* thread = nullptr;
    if (attempt.spawn) {
      thread = &addThread(edit, *attempt.spawn, ThreadState::kStarting);
    } else {
      auto found = edit.thread(attempt.message.thread_id);
      if (!found) {
        return std::move(found).error();
      }
      thread = found.value();
    }
    auto message = attempt.message;
    message.thread_id = thread->id;
    auto accepted = acceptTurn(edit, *thread, message);
    if (!accepted) {
      return std::move(accepted).error();
    }
    turn = std::move(accepted).value();
    edit.change.gone_queued = attempt.queued_ids;
    for (const auto& row : book_.queue(thread->id)) {
      const auto& ids = attempt.queued_ids;
      if (std::find(ids.begin(), ids.end(), row.id) != ids.end()) {
        edit.emit("message.dispatched", Json::object().set("entry", toRecord(row)));
      }
    }
    if (!attempt.queued_ids.empty()) {
      edit.tell(*thread, "queue-changed");
    }
    if (auto stored = edit.commit(); !stored) {
      return std::move(stored).error();
    }
    answer = attempt.spawn ? book_.record(*thread)
                           : Json::object()
                                 .set("outcome", "started")
                                 .set("turnRequestId", turn->request_id)
                                 .set("queuedMessageId", nullptr);
  }
  // The caller is answered before the machine has to do anything.
  later([this, accepted = *turn] { readyEnvironment(accepted); });
  return answer;
}

std::optional<TurnRow> TurnRunner::stillOpen(const TurnRow& turn) const {
  auto open = book_.openTurn(turn.thread_id);
  return open && open->request_id == turn.request_id ? open : std::nullopt;
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
      [this, thread_id = turn.thread_id](const PlaceNews& news) {
        later([this, thread_id, news] { takePlace(thread_id, news); });
      },
      [this, turn](Result<ReadyEnvironment> ready) {
        later([this, turn, ready = std::move(ready)] {
          logProvisioning(turn.thread_id, ready ? "completed" : "failed");
          provisioning_.erase(turn.thread_id);
          if (!stillOpen(turn)) {
            return;
          }
          if (!ready) {
            return undelivered(turn, ready.error());
          }
          openSession(turn, ready.value());
        });
      });
}

void TurnRunner::takePlace(const std::string& thread_id, const PlaceNews& news) {
  if (news.step.isNull()) {
    Edit edit(book_);
    auto found = edit.thread(thread_id);
    if (found && place(edit, *found.value(), news.environment)) {
      (void)edit.commit();
    }
    return;
  }
  auto& [id, entries] = provisioning_[thread_id];
  if (id.empty()) {
    id = common::newRecordId("prov", book_.now());
  }
  const auto& key = news.step["key"].asString();
  auto known = std::find_if(entries.begin(), entries.end(),
                            [&key](const Json& each) { return each["key"].asString() == key; });
  auto entry = news.step;
  if (known == entries.end()) {
    entries.push_back(entry.set("startedAt", book_.now()));
  } else {
    entry.set("startedAt", (*known)["startedAt"]);
    *known = std::move(entry);
  }
  logProvisioning(thread_id, "active");
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
  {
    Edit edit(book_);
    auto found = edit.thread(turn.thread_id);
    if (!found) {
      return;
    }
    auto& thread = *found.value();
    request.provider_id = thread.provider_id;
    request.resume = thread.session;
    request.execution = parsed(thread.execution);
    request.context = contextOf(thread, environment);
    const bool placed = place(edit, thread, environment);
    const bool begins = beginsNow(book_, thread);
    if (begins) {
      edit.log(thread, "thread/started", {}, Json::object());
      edit.tell(thread, "events-appended");
    }
    if ((placed || begins) && !edit.commit()) {
      return;
    }
  }
  if (const auto live = sessions_.find(turn.thread_id); live != sessions_.end()) {
    return crew_.agents->set(live->second, request.execution, [this, turn](const Status& set) {
      later([this, turn, set] {
        if (!set) {
          warn(turn, set.error().message);
        }
        prompt(turn);
      });
    });
  }
  const auto session = request.session;
  sessions_[turn.thread_id] = session;
  crew_.agents->open(std::move(request), [this, turn, session](Result<OpenSession> opened) {
    later([this, turn, session, opened = std::move(opened)] {
      if (!opened) {
        sessions_.erase(turn.thread_id);
        return undelivered(turn, opened.error());
      }
      {
        Edit edit(book_);
        if (auto found = edit.thread(turn.thread_id);
            found && found.value()->session != opened.value().agent_session) {
          found.value()->session = opened.value().agent_session;
          (void)edit.commit();
        }
      }
      prompt(turn);
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

void TurnRunner::prompt(const TurnRow& turn) {
  auto open = stillOpen(turn);
  const auto session = sessions_.find(turn.thread_id);
  if (!open || session == sessions_.end()) {
    // Stopped while its session was opened.
    return closeSession(turn.thread_id);
  }
  const auto said = book_.store().events({.thread_id = turn.thread_id,
                                          .after_seq = turn.requested_seq - 1,
                                          .before_seq = turn.requested_seq + 1});
  {
    Edit edit(book_);
    auto found = edit.thread(turn.thread_id);
    if (!found) {
      return;
    }
    // One that its machine has not got yet is dispatched already, and keeps its id.
    if (open->state == nameOf(TurnState::kAccepted)) {
      open->turn_id = common::newRecordId("turn", edit.now());
      if (!advanceTurn(edit, *found.value(), *open, TurnInput::kDispatch) || !edit.commit()) {
        return;
      }
    }
  }
  const auto input =
      said && !said.value().empty() ? parsed(said.value().front().data)["input"] : Json::array();
  crew_.agents->prompt(session->second, open->turn_id, turn.request_id, input,
                       [this, turn, to = session->second](const Status& taken) {
                         later([this, turn, to, taken] { handedOver(turn, to, taken); });
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
  if (live == sessions_.end() || live->second != session) {
    // The session has ended with the daemon of its machine before it had the prompt.
    return undelivered(turn, {errc::kHostUnavailable, taken.error().message});
  }
  if (taken.error().code != errc::kHostUnavailable) {
    // Whether the agent has it is not known, so this session says nothing of this thread any more.
    closeSession(turn.thread_id);
  }
  undelivered(turn, taken.error());
}

void TurnRunner::undelivered(const TurnRow& turn, const Error& error) {
  if (error.code != errc::kHostUnavailable) {
    return end(turn.thread_id, turn.request_id, TurnInput::kFail,
               {.message = error.message, .code = std::string(error.code.name())});
  }
  if (deliveries_.wait(turn.thread_id, turn.request_id, book_.now())) {
    return;
  }
  // A machine that comes back later must not begin what is reported as failed.
  closeSession(turn.thread_id);
  end(turn.thread_id, turn.request_id, TurnInput::kFail,
      {.message = fmt::format(
           "{}; the message has waited {} s for its machine, send or retry it when the "
           "machine is back",
           error.message, std::chrono::duration_cast<std::chrono::seconds>(kHostWait).count()),
       .code = std::string(error.code.name())});
}

void TurnRunner::deliverAgain() {
  for (const auto& [thread_id, request_id] : deliveries_.waiting()) {
    if (const auto turn = book_.openTurn(thread_id); turn && turn->request_id == request_id) {
      readyEnvironment(*turn);
    } else {
      deliveries_.end(thread_id, request_id);
    }
  }
}

void TurnRunner::end(const std::string& thread_id, const std::string& request_id, TurnInput input,
                     TurnEnd why) {
  why.texts = liveTexts(thread_id);
  Edit edit(book_);
  auto found = edit.thread(thread_id);
  auto turn = book_.openTurn(thread_id);
  if (!found || !turn || turn->request_id != request_id ||
      !advanceTurn(edit, *found.value(), *turn, input, why)) {
    return;
  }
  settle(edit, *found.value());
  (void)edit.commit();
  deliveries_.end(thread_id, request_id);
  if (crew_.live != nullptr) {
    crew_.live->forget(thread_id);
  }
}

void TurnRunner::closeSession(const std::string& thread_id) {
  closing_.erase(thread_id);
  if (crew_.live != nullptr) {
    crew_.live->forget(thread_id);
  }
  if (const auto session = sessions_.find(thread_id); session != sessions_.end()) {
    const auto id = session->second;
    sessions_.erase(session);
    crew_.agents->close(id, [](const Status&) {});
  }
}

void TurnRunner::drain(std::string thread_id) {
  later([this, thread_id = std::move(thread_id)] { doDrain(thread_id); });
}

void TurnRunner::tick() {
  later([this] {
    (void)recoverThreads();
    deliverAgain();
    clearWaitsOfGone();
    for (const auto& id : book_.threadsWithQueue()) {
      doDrain(id);
    }
  });
}

/// Rows that wait for this plugin wait no longer for it.
void TurnRunner::clearWaits(const std::string& plugin_id) {
  for (const auto& id : book_.threadsWithQueue()) {
    Edit edit(book_);
    for (auto row : book_.queue(id)) {
      if (parsed(row.waiting_on)["pluginId"].asString() == plugin_id) {
        row.waiting_on.clear();
        edit.change.queued.push_back(std::move(row));
      }
    }
    if (!edit.change.queued.empty() && edit.commit()) {
      doDrain(id);
    }
  }
}

void TurnRunner::clearWaitsOfGone() {
  if (crew_.plugins == nullptr) {
    return;
  }
  std::set<std::string> waited_for;
  for (const auto& id : book_.threadsWithQueue()) {
    for (const auto& row : book_.queue(id)) {
      const auto waiting = parsed(row.waiting_on);
      if (waiting["kind"].asString() == "plugin") {
        waited_for.insert(waiting["pluginId"].asString());
      }
    }
  }
  for (const auto& plugin_id : waited_for) {
    if (!looked_for_.insert(plugin_id).second) {
      continue;
    }
    crew_.plugins->acquire(plugin_id, [this, plugin_id](const Result<plugins::GenerationPtr>& at) {
      // One that is being loaded, at a start or by a reload, may still decide.
      const bool gone = !at && (at.error().code == errc::kUnknownPlugin ||
                                (at.error().code == errc::kPluginNotRunning &&
                                 parsed(at.error().details)["status"].asString() != "starting"));
      later([this, plugin_id, gone] {
        looked_for_.erase(plugin_id);
        if (gone) {
          clearWaits(plugin_id);
        }
      });
    });
  }
}

void TurnRunner::doDrain(const std::string& thread_id) {
  const auto thread = book_.thread(thread_id);
  const auto rows = book_.queue(thread_id);
  if (!thread || rows.empty() || thread.value().archived_at != 0 || asking_.contains(thread_id) ||
      isBusy(*threadStateOf(thread.value().status)) || crew_.agents == nullptr) {
    return;
  }
  const auto& head = rows.front();
  const bool retries = parsed(head.payload)["kind"].asString() == "retry";
  if ((thread.value().status == nameOf(ThreadState::kError) && !retries) ||
      !book_.interactions(thread_id).empty() || head.send_at > book_.now() ||
      // A plugin that has named a time is asked again then.
      (parsed(head.waiting_on)["kind"].asString() == "plugin" && head.send_at == 0)) {
    return;
  }
  Attempt attempt{.message = messageOf(head), .queued_ids = {head.id}};
  auto groups = Json::array();
  groups.push(attempt.message.input);
  for (std::size_t at = 0; at + 1 < rows.size() && rows[at].group_with_next; ++at) {
    const auto next = messageOf(rows[at + 1]);
    groups.push(next.input);
    attempt.mixed = attempt.mixed || next.initiator != attempt.message.initiator;
    for (const auto& block : next.input.items()) {
      attempt.message.input.push(block);
    }
    attempt.queued_ids.push_back(rows[at + 1].id);
    attempt.message.groups = groups;
  }
  askHooks(std::move(attempt), std::make_shared<Completion<Json>>([](const Result<Json>&) {}));
}

void TurnRunner::sendQueued(std::string thread_id, std::string row_id, Completion<Json> done) {
  onLane<Json>(std::move(done), [this, thread_id = std::move(thread_id),
                                 row_id = std::move(row_id)](Completion<Json> answer) {
    const auto rows = book_.queue(thread_id);
    const auto found =
        std::find_if(rows.begin(), rows.end(), [&](const auto& each) { return each.id == row_id; });
    const auto thread = listening(thread_id);
    if (!thread) {
      return answer(thread.error());
    }
    if (found == rows.end()) {
      return answer(Error{errc::kNotFound,
                          "the message does not wait (any more); read the queue "
                          "again"});
    }
    if (!book_.interactions(thread_id).empty() ||
        parsed(found->waiting_on)["kind"].asString() == "plugin") {
      return answer(Error{errc::kConflict,
                          "the message waits for a plugin or an answer, which "
                          "cannot be skipped"});
    }
    const auto record = Json::object().set("queuedMessage", toRecord(*found));
    {
      Edit edit(book_);
      auto row = *found;
      row.send_at = 0;
      row.waiting_on.clear();
      if (found != rows.begin()) {
        row.sort_key = common::sortKeyBetween({}, rows.front().sort_key);
      }
      edit.change.queued.push_back(row);
      edit.tell(*edit.thread(thread_id).value(), "queue-changed");
      if (auto stored = edit.commit(); !stored) {
        return answer(stored.error());
      }
    }
    answer(record);
    doDrain(thread_id);
  });
}

}  // namespace svc::threads
