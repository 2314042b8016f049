#include <algorithm>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/record_id.h"
#include "svc/common/shown_text.h"
#include "svc/hostprotocol/agent_limits.h"

#include "thread_limits.h"
#include "thread_record.h"
#include "turn_runner.h"

namespace svc::threads {

using common::Json;
using storage::InteractionRow;
using storage::ThreadRow;

namespace {

/// What agents call the MCP server of this service.
constexpr std::string_view kOwnServer = "svc";

/// Why a session has ended that nobody here has closed: its daemon stops, or has made room.
constexpr std::string_view kClosed = "closed";

bool isEphemeral(const std::string& type) {
  return type == "session/changed" || type.starts_with("question/") || type == "session/ended";
}

bool isOfTurn(const std::string& type) {
  return type == "turn/started" || type == "turn/completed" || type == "session/ended";
}

/// The item without the text that streams into it.
Json bare(const Json& item) { return withText(item, {}).set("truncation", nullptr); }

TurnInput endOf(const std::string& status) {
  return status == "completed"     ? TurnInput::kComplete
         : status == "interrupted" ? TurnInput::kInterrupt
                                   : TurnInput::kFail;
}

}  // namespace

void TurnRunner::take(const AgentEvent& event, Completion<void> taken) {
  if (event.type == "item/delta") {
    // Nothing of it is kept, so no store has to write: what is heard twice or lost shows in its offset.
    if (crew_.live != nullptr) {
      crew_.live->grow(event.thread_id, event.data);
    }
    return taken({});
  }
  (void)storeLate(event.thread_id);
  bool is_new = false;
  {
    Edit edit(book_);
    auto found = edit.thread(event.thread_id);
    if (!found) {
      // Deleted: its agent is told to go, and nothing of what it says is kept.
      return taken({});
    }
    if (closed_) {
      // Not acknowledged: what is said after the end of its turn is nobody's.
      return taken(Error{errc::kUnavailable, "the server is stopping"});
    }
    auto& thread = *found.value();
    edit.change.position = storage::SessionPosition{
        .thread_id = event.thread_id, .session = event.session, .seq = event.seq};
    // What is said in a session that was given up belongs to a turn that has ended.
    const auto live = sessions_.find(event.thread_id);
    if (live == sessions_.end() || live->second.id != event.session) {
      const auto stored = edit.commit();
      return taken(stored ? Status() : stored.error());
    }
    resting_agents_.used(event.thread_id, book_.now());
    if (!isEphemeral(event.type) && !wasTold(event)) {
      takeLogged(edit, thread, event);
    }
    if (event.type.starts_with("question/")) {
      takeQuestion(edit, thread, event);
    }
    if (isOfTurn(event.type)) {
      takeTurnEvent(edit, thread, event);
    }
    settle(edit, thread);
    const auto stored = edit.commit();
    if (!stored) {
      return taken(stored.error());
    }
    is_new = stored.value();
    if (is_new) {
      remember(event);
    }
  }
  if (event.type == "session/ended") {
    if (crew_.live != nullptr) {
      crew_.live->forget(event.thread_id);
    }
    if (const auto live = sessions_.find(event.thread_id);
        live != sessions_.end() && live->second.id == event.session) {
      sessions_.erase(live);
      resting_agents_.ended(event.thread_id);
      told_items_.erase(event.thread_id);
      closing_.erase(event.thread_id);
    }
  } else if (is_new && event.endsTurn() && closing_.contains(event.thread_id)) {
    // One that is told again may be of an earlier turn.
    closeSession(event.thread_id);
  }
  taken({});
}

/// After a connection was lost, open items are told as they are. What they say grows by deltas, which no log has.
bool TurnRunner::wasTold(const AgentEvent& event) const {
  const auto thread = told_items_.find(event.thread_id);
  if (event.type != "item/started" || thread == told_items_.end()) {
    return false;
  }
  const auto& item = event.data["item"];
  const auto told = thread->second.find(item["id"].asString());
  return told != thread->second.end() &&
         (told->second == item ||
          (!event.data["length"].isNull() && bare(told->second) == bare(item)));
}

/// It is in the log, or is there already.
void TurnRunner::remember(const AgentEvent& event) {
  if (event.endsTurn()) {
    told_items_.erase(event.thread_id);
  } else if (event.type == "item/started") {
    const auto& item = event.data["item"];
    told_items_[event.thread_id][item["id"].asString()] = item;
  }
  if (crew_.live != nullptr) {
    crew_.live->logged(event.thread_id, event.type, event.data);
  }
}

void TurnRunner::takeLogged(Edit& edit, ThreadRow& thread, const AgentEvent& event) {
  auto data = event.data;
  // It comes before the answer to who has opened the session when settings of the agent are chosen in between.
  if (event.type == "thread/identity" && data["providerThreadId"].isString()) {
    thread.session = data["providerThreadId"].asString();
  }
  data.set("providerThreadId", textOrNull(thread.session));
  present(data);
  edit.log(thread, event.type, event.turn_id, data);
  edit.tell(thread, "events-appended");
  if (event.type == "thread/name/updated" && !thread.title_is_own) {
    if (auto title = clipped(common::shownOnOneLine(event.data["threadName"].asString()), kTitle);
        !title.empty() && title != thread.title) {
      thread.title = std::move(title);
      edit.tell(thread, "title-changed");
    }
  }
}

void TurnRunner::present(Json& data) const {
  auto item = data["item"];
  if (!crew_.presentation || item["type"].asString() != "toolCall" ||
      item["server"].asString() != kOwnServer) {
    return;
  }
  auto presentation = crew_.presentation(item["tool"].asString());
  if (presentation.isNull()) {
    return;
  }
  if (!presentation["label"].isNull()) {
    item.set("statusLabels", presentation["label"]);
  }
  data.set("item", item.set("presentation", std::move(presentation)));
}

/// The session that has ended had nothing of this turn, which goes into the next one.
bool TurnRunner::goesOnElsewhere(const storage::TurnRow& turn, bool was_closed) {
  if (turn.state == nameOf(TurnState::kStarted)) {
    return false;
  }
  if (!deliveries_.has(turn.thread_id, turn.request_id)) {
    // What was just accepted is not on its way yet; what was handed over is not any more.
    return turn.state == nameOf(TurnState::kAccepted);
  }
  return was_closed || deliveries_.mayGoOn(turn.thread_id, turn.request_id);
}

void TurnRunner::takeTurnEvent(Edit& edit, ThreadRow& thread, const AgentEvent& event) {
  auto turn = book_.openTurn(thread.id);
  if (!turn) {
    return;
  }
  if (event.type == "session/ended") {
    const auto& reason = event.data["reason"].asString();
    const bool removed = reason == providers::ended::kHostRemoved;
    const bool away = removed || reason == providers::ended::kHostLost ||
                      reason == providers::ended::kDaemonRestarted;
    if (thread.status != nameOf(ThreadState::kStopping) &&
        goesOnElsewhere(*turn, away || reason == kClosed)) {
      return;
    }
    if (away) {
      edit.log(thread, "system/thread/interrupted", {},
               Json::object().set("reason", removed ? providers::ended::kHostLost : reason));
    }
    const bool stopping = away || isStopping(thread);
    const auto& said = event.data["message"].asString();
    (void)advanceTurn(edit, thread, *turn, stopping ? TurnInput::kInterrupt : TurnInput::kFail,
                      {.message = said.empty() ? "the agent has ended in the middle of the turn; "
                                                 "retry it"
                                               : said,
                       .code = away       ? reason
                               : stopping ? "thread-stopped"
                                          : "agent-lost",
                       .texts = liveTexts(thread.id)});
    return;
  }
  if (event.turn_id != turn->turn_id || !event.data["parentToolCallId"].isNull()) {
    return;
  }
  if (event.type == "turn/started") {
    (void)advanceTurn(edit, thread, *turn, TurnInput::kAcknowledge);
    return;
  }
  const auto input = endOf(event.data["status"].asString());
  if (turn->state == nameOf(TurnState::kDispatched) && input == TurnInput::kComplete) {
    (void)advanceTurn(edit, thread, *turn, TurnInput::kAcknowledge);
  }
  (void)advanceTurn(
      edit, thread, *turn, input,
      {.message = event.data["error"]["message"].asString(),
       .code = isStopping(thread) ? "thread-stopped" : event.data["error"]["code"].asString(),
       .told = true});
}

void TurnRunner::takeQuestion(Edit& edit, ThreadRow& thread, const AgentEvent& event) {
  const auto& question_id = event.data["questionId"].asString();
  if (event.type == "question/withdrawn") {
    for (auto row : book_.interactions(thread.id)) {
      if (parsed(row.origin)["providerRequestId"].asString() == question_id) {
        (void)advanceInteraction(edit, thread, row, InteractionInput::kInterrupt,
                                 event.data["reason"].asString());
      }
    }
    return;
  }
  std::size_t of_agent = 0;
  for (const auto& open : book_.interactions(thread.id)) {
    const auto origin = parsed(open.origin);
    if (origin["providerRequestId"].asString() == question_id) {
      return;
    }
    of_agent += origin["kind"].asString() == "provider" ? 1 : 0;
  }
  InteractionRow row{.id = common::newRecordId("int", edit.now()),
                     .thread_id = thread.id,
                     .turn_id = event.turn_id,
                     .status = std::string(nameOf(InteractionState::kPending)),
                     .origin = Json::object()
                                   .set("kind", "provider")
                                   .set("providerId", thread.provider_id)
                                   .set("providerRequestId", question_id)
                                   .set("providerThreadId", textOrNull(thread.session))
                                   .dump(),
                     .payload = event.data["payload"].dump(),
                     .created_at = edit.now()};
  if (of_agent >= limits::kAgentQuestions) {
    // Its machine knows no more either; nobody would answer this one, and the turn would wait for that.
    return answer(row, Json::object().set("decision", "cancel"), [](const Status&) {});
  }
  edit.change.interactions.push_back(row);
  thread.latest_attention_at = edit.now();
  logInteraction(edit, thread, row);
  edit.emitThread("interaction.pending", thread, Json::object().set("interaction", toRecord(row)));
}

void TurnRunner::emitIdle(Edit& edit, const ThreadRow& thread) const {
  edit.emitThread(
      "thread.idle", thread,
      Json::object().set("lastAssistantText", lastAssistantText(book_.store(), thread.id)));
}

void TurnRunner::settle(Edit& edit, ThreadRow& thread) {
  for (const auto& [id, effect] : edit.effects()) {
    if (effect == ThreadEffect::kEmitIdle) {
      emitIdle(edit, thread);
    } else if (effect == ThreadEffect::kEmitFailed) {
      const auto& turns = edit.change.turns;
      edit.emitThread(
          "thread.failed", thread,
          Json::object().set("error", turns.empty() ? Json() : textOrNull(turns.back().error)));
    } else if (effect == ThreadEffect::kDrainQueue) {
      edit.afterwards([this, thread_id = thread.id] { drain(thread_id); });
    }
  }
}

void TurnRunner::answer(const InteractionRow& row, Json given, Completion<void> done) {
  auto shared = std::make_shared<Completion<void>>(std::move(done));
  later([this, row, given = std::move(given), shared] {
    const auto session = sessions_.find(row.thread_id);
    if (session == sessions_.end()) {
      return (*shared)(Error{errc::kConflict, "the agent that asked is gone"});
    }
    crew_.agents->answer(
        session->second.id, parsed(row.origin)["providerRequestId"].asString(), given,
        [this, shared](const Status& told) { later([shared, told] { (*shared)(told); }); });
  });
}

void TurnRunner::granted(const std::string& thread_id, Completion<std::vector<std::string>> done) {
  auto shared = std::make_shared<Completion<std::vector<std::string>>>(std::move(done));
  later([this, thread_id, shared] {
    const auto session = sessions_.find(thread_id);
    if (session == sessions_.end()) {
      return (*shared)(std::vector<std::string>());
    }
    crew_.agents->granted(session->second.id, [this, shared](Result<std::vector<std::string>> ids) {
      later([shared, ids = std::move(ids)]() mutable { (*shared)(std::move(ids)); });
    });
  });
}

}  // namespace svc::threads
