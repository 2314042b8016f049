// From a message to the turn that was accepted for it: what plugins say of it, and the change that makes the turn.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/common/record_id.h"
#include "svc/common/sort_key.h"

#include "mention_context.h"
#include "thread_limits.h"
#include "thread_record.h"
#include "turn_runner.h"

namespace svc::threads {

using common::Json;
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
  auto waiting = Json::object()
                     .set("kind", "plugin")
                     .set("pluginId", decision.plugin_id)
                     .set("reason", decision.text);
  if (decision.send_at.value_or(0) != 0) {
    // With the wait, not as the time of the row, which is the sender's.
    waiting.set("sendAt", *decision.send_at);
  }
  return waiting;
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
      .set("requestedExecution", wantedOf(message.execution))
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
  const auto& record = kHookRecords.at(at);
  lookup(record.route + ids.at(at), [lookup, ids, at, &record, context = std::move(context),
                                     done = std::move(done)](const Result<Json>& body) mutable {
    context.set(record.member, body ? body.value()[record.member] : Json());
    addRecords(lookup, std::move(ids), at + 1, std::move(context), std::move(done));
  });
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

/// Rows that a plugin has refused, or that have no place to run, become a turn that failed: nobody waits for the answer, and what they
/// say must not be lost. Of one that somebody waits for nothing stays: a retry says only what the log has.
void TurnRunner::refuseQueued(const Attempt& attempt, const std::string& why, const Errc& code) {
  if (attempt.queued.empty()) {
    return;
  }
  Edit edit(book_);
  auto found = edit.thread(attempt.message.thread_id);
  if (!found) {
    return;
  }
  if (!stillSays(attempt)) {
    return drain(attempt.message.thread_id);
  }
  auto& thread = *found.value();
  for (const auto& row : attempt.queued) {
    edit.emit("message.cancelled", Json::object().set("entry", leavingRecord(row)));
    edit.change.gone_queued.push_back(row.id);
  }
  if (!attempt.awaited) {
    refuseTurn(edit, thread, attempt.message, {.message = why, .code = std::string(code.name())});
    settle(edit, thread);
  }
  edit.tell(thread, "queue-changed");
  (void)edit.commit();
}

bool TurnRunner::stillSays(const Attempt& attempt) const {
  const auto rows = book_.queue(attempt.message.thread_id);
  return std::all_of(attempt.queued.begin(), attempt.queued.end(), [&rows](const auto& asked) {
    return std::any_of(rows.begin(), rows.end(), [&asked](const auto& row) {
      return row.id == asked.id && row.content == asked.content;
    });
  });
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
    rememberLoad(found.plugin_id);
    return (*done)(park(attempt, 0, waitingFor(found)));
  }
  askMentions(std::move(attempt), done);
}

/// What plugins say about items that are mentioned is asked for when a message is sent; one that is tried again has it.
void TurnRunner::askMentions(Attempt attempt, const Done& done) {
  const auto& message = attempt.message;
  if (crew_.mentions == nullptr || !message.retry_of.empty() || !hasPluginMentions(message.input)) {
    return (*done)(accept(attempt));
  }
  asking_.insert(message.thread_id);
  auto input = message.input;
  auto shared = std::make_shared<Attempt>(std::move(attempt));
  resolveMentions(*crew_.mentions, std::move(input), [this, shared, done](Result<Json> resolved) {
    later([this, shared, done, resolved = std::move(resolved)]() mutable {
      asking_.erase(shared->message.thread_id);
      if (!resolved) {
        refuseQueued(*shared, resolved.error().message);
        return (*done)(std::move(resolved).error());
      }
      shared->message.input = std::move(resolved).value();
      (*done)(accept(*shared));
    });
  });
}

void TurnRunner::tellLate(LateToolResult late, Task told) {
  later([this, late = std::move(late), told = std::move(told)]() mutable {
    {
      Edit edit(book_);
      auto found = edit.thread(late.thread_id);
      if (!found) {
        return told ? told() : void();
      }
      edit.log(*found.value(), "system/operation", {},
               Json::object()
                   .set("operation", "tool-result")
                   .set("operationId", common::newRecordId("op", edit.now()))
                   .set("status", late.failed ? "failed" : "completed")
                   .set("message",
                        fmt::format("{} has {}", late.tool, late.failed ? "failed" : "finished"))
                   .set("metadata", Json::object().set("tool", late.tool)));
      edit.tell(*found.value(), "events-appended");
      (void)edit.commit();
    }
    const auto said = fmt::format("The tool {}, which was still running, has {}:\n\n{}", late.tool,
                                  late.failed ? "failed" : "finished", late.text);
    const auto block = Json::object().set("type", "text").set("text", said);
    const Message message{.thread_id = late.thread_id,
                          .input = Json(Json::Array{block}),
                          .execution = Json::object(),
                          .initiator = "system"};
    send(
        {.message = message},
        Completion<Json>([this, message, told = std::move(told)](const Result<Json>& sent) mutable {
          later([this, message, told = std::move(told),
                 failure = sent ? Status() : Status(sent.error())]() mutable {
            lateWasSent(message, std::move(failure), std::move(told));
          });
        }));
  });
}

void TurnRunner::lateWasSent(const Message& message, Status sent, Task told) {
  if (!sent && sent.error().code == errc::kDispatchRejected) {
    // Nobody hears the refusal of a plugin: in the queue it is asked once more, and the log has its answer.
    if (auto queued = queueMessage(message, 0, {}); queued) {
      sent = {};
      drain(message.thread_id);
    } else {
      sent = std::move(queued).error();
    }
  }
  // What could not be stored, or not any more, stays owed. What the thread does not take is not.
  const bool owed =
      !sent && (sent.error().code == errc::kUnavailable || sent.error().code == errc::kOverloaded);
  if (!owed && told) {
    told();
  }
}

Result<Json> TurnRunner::park(const Attempt& attempt, std::int64_t send_at, const Json& waiting) {
  if (attempt.queued.empty() && !attempt.spawn) {
    return queueMessage(attempt.message, send_at, waiting);
  }
  if (!attempt.spawn) {
    Edit edit(book_);
    auto thread = edit.thread(attempt.message.thread_id);
    if (!thread) {
      return std::move(thread).error();
    }
    for (auto row : book_.queue(attempt.message.thread_id)) {
      if (row.id == attempt.queued.front().id) {
        nowWaitsFor(edit, *thread.value(), std::move(row), waiting);
      }
    }
    auto stored = edit.commit();
    const auto& until = waiting["sendAt"];
    if (stored && (until.isNull() || until.asInteger() > book_.now())) {
      // It may be the turn of what is behind it.
      drain(attempt.message.thread_id);
    }
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
    if (!stillSays(attempt)) {
      // What it is now goes by itself.
      drain(attempt.message.thread_id);
      return Error{errc::kConflict, "the message is another one by now"};
    }
    auto message = attempt.message;
    message.thread_id = thread->id;
    // The end of a turn is told before the next one begins.
    tellOwed(edit, *thread);
    auto accepted = acceptTurn(edit, *thread, message);
    if (!accepted) {
      return std::move(accepted).error();
    }
    turn = std::move(accepted).value();
    for (const auto& row : attempt.queued) {
      edit.change.gone_queued.push_back(row.id);
      edit.emit("message.dispatched", Json::object().set("entry", leavingRecord(row)));
    }
    if (!attempt.queued.empty()) {
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

}  // namespace svc::threads
