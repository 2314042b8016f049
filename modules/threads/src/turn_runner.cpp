#include "turn_runner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/record_id.h"
#include "svc/common/sort_key.h"

#include "fork.h"
#include "input.h"
#include "thread_limits.h"
#include "thread_record.h"

namespace svc::threads {

using common::Json;
using storage::QueuedMessageRow;
using storage::ThreadRow;
using storage::TurnRow;

namespace {

Error noAgents() {
  return {errc::kNotSupported,
          "no agent is available on any machine; install one that speaks the Agent Client Protocol "
          "on the machine of the project, or configure its command as \"agents\" in config.json, "
          "and try again"};
}

/// The row as it will be from its first moment: plugins are asked about it before it is there.
void dress(SpawnRequest& request, std::int64_t now) {
  auto& row = request.row;
  row.id = common::newRecordId("thr", now);
  row.status = std::string(nameOf(ThreadState::kPending));
  row.title_is_own = !row.title.empty();
  if (row.title_fallback.empty()) {
    row.title_fallback = titleFallbackOf(request.first.input);
  }
  row.execution = request.first.execution.dump();
  row.environment = Json::object().set("intent", request.intent).dump();
  row.created_at = now;
  row.updated_at = now;
  row.latest_attention_at = now;
}

/// `data` is what the log says of its request.
Message sayingAgain(const TurnRow& turn, const Json& data) {
  Message message{.thread_id = turn.thread_id,
                  .input = data["input"],
                  .execution = wantedOf(data["execution"]),
                  .initiator = turn.initiator,
                  .sender_thread_id = data["senderThreadId"].asString(),
                  .source = data["source"].asString() == "spawn" ? "spawn" : "tell",
                  .origin_plugin_id = data["originPluginId"].asString(),
                  .retry_of = turn.request_id,
                  .attempt = turn.attempt + 1,
                  .typed = data["typed"].asBool(true)};
  if (data["origin"].isString()) {
    message.origin = data["origin"].asString();
  }
  return message;
}

Json waitingFor(const char* kind) { return Json::object().set("kind", kind); }

}  // namespace

TurnRunner::TurnRunner(ThreadBook& book, IWorkerPool& workers, Crew crew)
    : book_(book), crew_(crew), lane_(workers) {}

template <class T>
void TurnRunner::onLane(Completion<T> done, UniqueFunction<void(Completion<T> done)> job) {
  auto shared = std::make_shared<Completion<T>>(std::move(done));
  if (!lane_.post([shared, job = std::move(job)]() mutable { job(std::move(*shared)); })) {
    (*shared)(Error{errc::kOverloaded, "too much is waiting to be run; try again later"});
  }
}

void TurnRunner::later(Task job) { (void)lane_.post(std::move(job)); }

Status TurnRunner::recover() {
  if (crew_.live != nullptr) {
    crew_.live->recover([this](const std::string& id) { return bool{book_.thread(id)}; });
  }
  for (const auto& row : book_.threads()) {
    unrecovered_.push_back(row.id);
  }
  machines_until_ = book_.now() + kMachinesStart.count();
  auto recovered = recoverThreads();
  if (crew_.agents != nullptr) {
    listening_ = crew_.agents->onEvent([this](AgentEvent event, Completion<void> taken) {
      onLane<void>(std::move(taken), [this, event = std::move(event)](Completion<void> done) {
        take(event, std::move(done));
      });
    });
  }
  if (crew_.hooks != nullptr) {
    rechecks_ = crew_.hooks->onRecheck([this](const std::string& plugin_id) {
      later([this, plugin_id] { clearWaits(plugin_id); });
    });
  }
  // Their agents may say something at once.
  bringOutliving();
  return recovered;
}

void TurnRunner::spawn(SpawnRequest request, Completion<Json> done) {
  onLane<Json>(std::move(done),
               [this, request = std::move(request)](Completion<Json> answer) mutable {
                 doSpawn(std::move(request), std::make_shared<Completion<Json>>(std::move(answer)));
               });
}

void TurnRunner::doSpawn(SpawnRequest request, const Done& done) {
  if (crew_.agents == nullptr) {
    return (*done)(noAgents());
  }
  auto chosen = crew_.agents->choose(request.row.provider_id);
  if (!chosen) {
    return holdSpawn(std::move(request), chosen.error(), done);
  }
  if (crew_.environments == nullptr) {
    return (*done)(Error{errc::kNotSupported,
                         "this server has no environments to run agents in; start it with the "
                         "module \"environments\""});
  }
  if (auto allowed = choosePlace(request); !allowed) {
    return holdSpawn(std::move(request), allowed.error(), done);
  }
  request.row.provider_id = std::move(chosen).value();
  dress(request, book_.now());
  if (request.intent["type"].asString() == "reuse") {
    if (const auto there = crew_.environments->find(request.intent["environmentId"].asString())) {
      (void)moveTo(request.row, *there);
    }
  }
  if (request.idle) {
    Edit edit(book_);
    const auto& thread = addThread(edit, request, ThreadState::kIdle);
    auto stored = edit.commit();
    return (*done)(stored ? Result<Json>(book_.record(thread)) : stored.error());
  }
  Attempt attempt{.message = request.first};
  attempt.message.thread_id = request.row.id;
  if (!request.origin.empty()) {
    attempt.message.origin = request.origin;
    attempt.message.origin_plugin_id = request.row.origin_plugin_id;
  }
  attempt.spawn = std::move(request);
  if (attempt.spawn->send_at > book_.now()) {
    return (*done)(park(attempt, attempt.spawn->send_at, waitingFor("time")));
  }
  askHooks(std::move(attempt), done);
}

Status TurnRunner::choosePlace(SpawnRequest& request) const {
  const auto allows = [&](const Json& intent) {
    return crew_.environments->check({.project_id = request.row.project_id, .intent = intent});
  };
  auto wanted = allows(request.intent);
  if (wanted || wanted.error().code == errc::kHostUnavailable) {
    return wanted;
  }
  for (const auto& other : request.or_else) {
    if (allows(other)) {
      request.intent = other;
      return {};
    }
  }
  return wanted;
}

/// Machines connect, and say which agents they have, in the first moments of the server.
void TurnRunner::holdSpawn(SpawnRequest request, const Error& why, const Done& done) {
  if (why.code != errc::kHostUnavailable || book_.now() >= machines_until_ ||
      held_spawns_.size() >= kHeldSpawns) {
    return (*done)(why);
  }
  held_spawns_.push_back({std::move(request), done});
}

void TurnRunner::spawnHeld() {
  for (auto& held : std::exchange(held_spawns_, {})) {
    doSpawn(std::move(held.request), held.done);
  }
}

ThreadRow& TurnRunner::addThread(Edit& edit, const SpawnRequest& request, ThreadState state) {
  auto row = request.row;
  row.status = std::string(nameOf(state));
  auto& added = edit.add(std::move(row));
  if (added.origin_kind == "fork" && !added.source_thread_id.empty()) {
    logFork(edit, added, request.source_seq_end, request.seed);
  }
  if (!request.metadata.isNull() && !added.origin_plugin_id.empty()) {
    edit.change.metadata.push_back({.thread_id = added.id,
                                    .plugin_id = added.origin_plugin_id,
                                    .metadata = request.metadata.dump()});
  }
  edit.tell(added, "thread-created");
  if (!added.environment_id.empty()) {
    edit.tell(added, "environment-changed");
  }
  edit.emitThread("thread.created", added);
  return added;
}

void TurnRunner::send(SendRequest request, Completion<Json> done) {
  onLane<Json>(std::move(done),
               [this, request = std::move(request)](Completion<Json> answer) mutable {
                 doSend(std::move(request), std::make_shared<Completion<Json>>(std::move(answer)));
               });
}

void TurnRunner::queue(SendRequest request, Completion<Json> done) {
  onLane<Json>(std::move(done), [this, request = std::move(request)](Completion<Json> answer) {
    const auto thread = listening(request.message.thread_id);
    if (const auto can = thread ? hasPlace(thread.value()) : thread.error(); !can) {
      return answer(can.error());
    }
    const bool timed = request.send_at > book_.now();
    answer(queueMessage(request.message, timed ? request.send_at : 0,
                        timed ? waitingFor("time") : Json()));
  });
}

Result<ThreadRow> TurnRunner::listening(const std::string& thread_id) const {
  auto row = book_.thread(thread_id);
  if (row && row.value().archived_at != 0) {
    return Error{errc::kConflict, "the thread is archived; unarchive it first"};
  }
  return row;
}

/// An error when its place is gone for good, so that no message can be run there.
Status TurnRunner::hasPlace(const ThreadRow& thread) const {
  if (crew_.environments == nullptr) {
    return {};
  }
  auto can = crew_.environments->check({.thread_id = thread.id,
                                        .project_id = thread.project_id,
                                        .environment_id = thread.environment_id,
                                        .intent = parsed(thread.environment)["intent"]});
  // A machine that is only away is waited for.
  return !can && can.error().code == errc::kHostUnavailable ? Status() : can;
}

void TurnRunner::doSend(SendRequest request, const Done& done) {
  const auto& message = request.message;
  const auto row = listening(message.thread_id);
  if (!row) {
    return (*done)(row.error());
  }
  if (request.send_at > book_.now()) {
    const auto place = hasPlace(row.value());
    return (*done)(place ? queueMessage(message, request.send_at, waitingFor("time"))
                         : place.error());
  }
  const bool busy = isBusy(threadStateOf(row.value().status).value_or(ThreadState::kIdle)) ||
                    asking_.contains(message.thread_id);
  const bool steers = request.mode == "steer" || request.mode == "steer-if-active";
  if (request.mode == "steer" && !busy) {
    return (*done)(Error{errc::kConflict,
                         "the thread is idle, so there is nothing to steer; send with mode auto"});
  }
  if (request.mode == "start" && busy) {
    return (*done)(
        Error{errc::kConflict, "the thread is busy; send with mode auto to queue the message"});
  }
  if (!busy) {
    if (crew_.agents == nullptr) {
      return (*done)(noAgents());
    }
    if (auto place = hasPlace(row.value()); !place) {
      return (*done)(std::move(place).error());
    }
    if (!wouldOvertake(request, row.value())) {
      return askHooks({.message = message}, done);
    }
    (*done)(queueMessage(message, 0, {}));
    return doDrain(message.thread_id);
  }
  // No agent can be told something in the middle of its turn: the message goes before all others.
  request.message.steers = steers;
  (*done)(queueMessage(message, 0, {}));
}

/// What was said before goes first, also while an open form keeps it back. Who starts or steers wants to be first.
bool TurnRunner::wouldOvertake(const SendRequest& request, const ThreadRow& thread) const {
  const bool failed = thread.status == nameOf(ThreadState::kError);
  return (request.mode == "auto" || request.mode == "queue-if-active") &&
         !nextOf(book_.queue(thread.id), failed).empty();
}

Result<Json> TurnRunner::queueMessage(const Message& message, std::int64_t send_at,
                                      const Json& waiting) {
  Edit edit(book_);
  auto thread = edit.thread(message.thread_id);
  if (!thread) {
    return std::move(thread).error();
  }
  const auto rows = book_.queue(message.thread_id);
  if (rows.size() >= kQueue) {
    return Error{errc::kConflict, fmt::format("{} messages wait in this thread already, which is "
                                              "the limit; delete some or wait",
                                              rows.size())};
  }
  const auto place =
      message.steers ? std::find_if_not(rows.begin(), rows.end(), steers) : rows.end();
  const auto key = common::sortKeyBetween(place == rows.begin() ? "" : std::prev(place)->sort_key,
                                          place == rows.end() ? "" : place->sort_key);
  const auto id = queueRow(edit, message, key, send_at, waiting).id;
  edit.tell(*thread.value(), "queue-changed");
  if (auto stored = edit.commit(); !stored) {
    return std::move(stored).error();
  }
  return Json::object()
      .set("outcome", "queued")
      .set("turnRequestId", nullptr)
      .set("queuedMessageId", id);
}

Result<Message> TurnRunner::retryOf(const std::string& thread_id,
                                    const std::string& request_id) const {
  if (const auto row = listening(thread_id); !row) {
    return row.error();
  }
  const auto turns = book_.store().turns(thread_id);
  if (!turns) {
    return turns.error();
  }
  const auto& all = turns.value();
  const auto found = request_id.empty()
                         ? (all.empty() ? all.end() : all.end() - 1)
                         : std::find_if(all.begin(), all.end(), [&](const auto& each) {
                             return each.request_id == request_id;
                           });
  if (found == all.end()) {
    return Error{errc::kNotFound,
                 "the thread has no such turn request; its events "
                 "name them (client/turn/requested)"};
  }
  if (found->state != nameOf(TurnState::kFailed) &&
      found->state != nameOf(TurnState::kInterrupted)) {
    return Error{errc::kConflict,
                 fmt::format("the turn is {}; only one that failed or was interrupted "
                             "can be retried",
                             found->state)};
  }
  for (const auto& row : book_.queue(thread_id)) {
    if (parsed(row.payload)["retryOfTurnRequestId"].asString() == found->request_id) {
      return Error{errc::kConflict, "a retry of this turn waits already"};
    }
  }
  for (const auto& each : all) {
    if (each.retry_of == found->request_id &&
        !isEnded(turnStateOf(each.state).value_or(TurnState::kFailed))) {
      return Error{errc::kConflict, "a retry of this turn runs already"};
    }
  }
  const auto said = book_.store().events({.thread_id = thread_id,
                                          .after_seq = found->requested_seq - 1,
                                          .before_seq = found->requested_seq + 1});
  if (!said || said.value().empty()) {
    return Error{errc::kConflict,
                 "what was said then is not in the log any more; "
                 "send the message again"};
  }
  return sayingAgain(*found, parsed(said.value().front().data));
}

void TurnRunner::retry(std::string thread_id, std::string request_id, std::int64_t send_at,
                       Completion<Json> done) {
  onLane<Json>(std::move(done), [this, thread_id = std::move(thread_id),
                                 request_id = std::move(request_id),
                                 send_at](Completion<Json> answer) {
    const auto message = retryOf(thread_id, request_id);
    if (!message) {
      return answer(message.error());
    }
    if (const auto thread = book_.thread(thread_id)) {
      if (const auto place = hasPlace(thread.value()); !place) {
        return answer(place.error());
      }
    }
    const auto queued =
        queueMessage(message.value(), send_at, send_at > book_.now() ? waitingFor("time") : Json());
    if (!queued) {
      return answer(queued.error());
    }
    const auto id = queued.value()["queuedMessageId"];
    const auto body =
        Json::object().set("queuedMessageId", id).set("attempt", message.value().attempt);
    auto attempt = nextAttempt(thread_id);
    if (!attempt || attempt->queued.front().id != id.asString()) {
      answer(body);
      return attempt ? askHooks(std::move(*attempt), nobody()) : void();
    }
    // It goes at once, so who asks for it hears when a plugin refuses it.
    attempt->awaited = true;
    askHooks(std::move(*attempt),
             std::make_shared<Completion<Json>>(
                 [body, answer = std::move(answer)](const Result<Json>& gone) mutable {
                   const bool refused = !gone && gone.error().code == errc::kDispatchRejected;
                   answer(refused ? gone : Result<Json>(body));
                 }));
  });
}

Json lastAssistantText(storage::IThreadStore& store, const std::string& thread_id) {
  // Many tool calls may follow the last words; an agent that has said nothing for as long as this has nothing to tell.
  constexpr std::size_t kLook = 10'000;
  constexpr std::size_t kRows = 250;
  std::int64_t before = 0;
  for (std::size_t looked = 0; looked < kLook; looked += kRows) {
    const auto events = store.events({.thread_id = thread_id,
                                      .before_seq = before,
                                      .descending = true,
                                      .types = {"item/completed"},
                                      .limit = kRows});
    if (!events) {
      return {};
    }
    for (const auto& event : events.value()) {
      if (event.data.find("agentMessage") == std::string::npos) {
        continue;  // no need to parse it
      }
      const auto data = parsed(event.data);
      if (data["item"]["type"].asString() == "agentMessage") {
        return data["item"]["text"];
      }
    }
    if (events.value().size() < kRows) {
      return {};
    }
    before = events.value().back().seq;
  }
  return {};
}

}  // namespace svc::threads
