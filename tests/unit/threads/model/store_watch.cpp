#include "store_watch.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "thread_record.h"

namespace svc::threads::model {

using common::Json;
using storage::InteractionRow;
using storage::QueuedMessageRow;
using storage::ThreadChange;
using storage::ThreadEventRow;
using storage::ThreadRow;
using storage::TurnRow;

namespace {

using Edges = std::set<std::pair<std::string_view, std::string_view>>;

/// From one stored state to the next one; "" = not there. One change may take several steps.
const Edges kThreadSteps{
    {"", "pending"},         {"", "starting"},         {"", "idle"},
    {"pending", "starting"}, {"pending", "error"},     {"idle", "starting"},
    {"error", "starting"},   {"starting", "active"},   {"starting", "idle"},
    {"starting", "error"},   {"starting", "stopping"}, {"active", "idle"},
    {"active", "error"},     {"active", "stopping"},   {"stopping", "idle"},
    {"stopping", "error"},
};
const Edges kTurnSteps{
    {"", "accepted"},
    {"", "failed"},
    {"accepted", "dispatched"},
    {"accepted", "failed"},
    {"accepted", "interrupted"},
    {"dispatched", "started"},
    {"dispatched", "failed"},
    {"dispatched", "interrupted"},
    {"dispatched", "completed"},
    {"started", "completed"},
    {"started", "failed"},
    {"started", "interrupted"},
};
const Edges kInteractionSteps{
    {"", "pending"},           {"pending", "resolving"},     {"pending", "interrupted"},
    {"resolving", "resolved"}, {"resolving", "interrupted"}, {"resolving", "pending"},
};

bool isBusyState(const std::string& status) {
  return status == "starting" || status == "active" || status == "stopping";
}

template <class Map>
std::string stateIn(const Map& map, const std::string& id, std::string Map::mapped_type::*member) {
  const auto found = map.find(id);
  return found == map.end() ? std::string() : found->second.*member;
}

}  // namespace

std::vector<std::string> wordsOf(const Json& input) {
  std::vector<std::string> out;
  for (const auto& block : input.items()) {
    out.push_back(block["text"].asString());
  }
  return out;
}

void StoreWatch::checkThread(const ThreadRow& row) {
  const auto before = stateIn(threads, row.id, &ThreadRow::status);
  if (before != row.status && !kThreadSteps.contains({before, row.status})) {
    blame(fmt::format("thread {}: {} → {}", row.id, before, row.status));
  }
  if (row.status == "starting" && before != "starting" &&
      (row.archived_at != 0 || row.deleted_at != 0)) {
    blame(fmt::format("thread {} begins a turn although it is archived or deleted", row.id));
  }
  if (!threads.contains(row.id)) {
    order.push_back(row.id);
  }
  threads[row.id] = row;
}

void StoreWatch::checkTurn(const TurnRow& row) {
  const auto before = stateIn(turns, row.request_id, &TurnRow::state);
  if (before != row.state && !kTurnSteps.contains({before, row.state})) {
    blame(fmt::format("turn {}: {} → {}", row.request_id, before, row.state));
  }
  if (before == "accepted" && row.state == "interrupted" &&
      row.error.find("restarted") != std::string::npos) {
    blame(fmt::format("turn {} is given up by a restart although no agent has had it",
                      row.request_id));
  }
  if (before == row.state && !storage::isOpenTurn(row) && !(turns.at(row.request_id) == row)) {
    blame(fmt::format("turn {} has changed after its end", row.request_id));
  }
  turns[row.request_id] = row;
}

void StoreWatch::checkInteraction(const InteractionRow& row) {
  const auto before = stateIn(interactions, row.id, &InteractionRow::status);
  if (before != row.status && !kInteractionSteps.contains({before, row.status})) {
    blame(fmt::format("interaction {}: {} → {}", row.id, before, row.status));
  }
  interactions[row.id] = row;
}

void StoreWatch::checkEvent(const ThreadEventRow& row) {
  auto& log = events_[row.thread_id];
  if (row.seq != static_cast<std::int64_t>(log.size()) + 1) {
    blame(fmt::format("thread {}: event {} has the number {}", row.thread_id, log.size() + 1,
                      row.seq));
  }
  log.push_back(row);
}

void StoreWatch::stored(const ThreadChange& change) {
  std::set<std::string> touched;
  std::map<std::string, Ids> queues;
  for (const auto& [id, row] : queued_) {
    queues.emplace(row.thread_id, queueIds(row.thread_id));
  }
  for (const auto& id : change.gone_threads) {
    threads.erase(id);
    events_.erase(id);
    std::erase_if(turns, [&id](const auto& each) { return each.second.thread_id == id; });
    std::erase_if(queued_, [&id](const auto& each) { return each.second.thread_id == id; });
    std::erase_if(interactions, [&id](const auto& each) { return each.second.thread_id == id; });
    std::erase(order, id);
    queues.erase(id);
  }
  for (const auto& row : change.threads) {
    checkThread(row);
    touched.insert(row.id);
  }
  for (const auto& row : change.turns) {
    checkTurn(row);
  }
  for (const auto& row : change.events) {
    checkEvent(row);
  }
  for (const auto& row : change.interactions) {
    checkInteraction(row);
  }
  for (const auto& id : change.gone_queued) {
    checkLeaving(id, change);
    queued_.erase(id);
  }
  for (const auto& row : change.queued) {
    queues.try_emplace(row.thread_id);
    queued_[row.id] = row;
  }
  for (const auto& [id, before] : queues) {
    checkQueue(id, before);
  }
  if (change.position) {
    auto& position = positions_[{change.position->thread_id, change.position->session}];
    if (change.position->seq <= position) {
      blame(fmt::format("event {} of {} is taken twice", change.position->seq,
                        change.position->session));
    }
    position = change.position->seq;
  }
  for (const auto& id : touched) {
    checkWhole(id);
  }
}

/// What a message says that leaves its queue is in the request of the same change, or its thread is deleted by that.
void StoreWatch::checkLeaving(const std::string& row_id, const ThreadChange& change) {
  const auto row = queued_.find(row_id);
  if (row == queued_.end() || removing) {
    return;
  }
  if (threads.at(row->second.thread_id).deleted_at != 0) {
    return;
  }
  Json::Array said;
  for (const auto& event : change.events) {
    if (event.thread_id == row->second.thread_id && event.type == "client/turn/requested") {
      said = parsed(event.data)["input"].items();
    }
  }
  if (refusing && said.empty() && parsed(row->second.payload)["kind"].asString() == "retry") {
    return;
  }
  const auto content = parsed(row->second.content);
  for (const auto& block : content.items()) {
    if (std::find(said.begin(), said.end(), block) == said.end()) {
      blame(fmt::format("thread {}: {} leaves the queue and is not said", row->second.thread_id,
                        block.dump()));
    }
  }
}

namespace {

bool isRetry(const storage::QueuedMessageRow& row) {
  return parsed(row.payload)["kind"].asString() == "retry";
}

}  // namespace

void StoreWatch::noteAsked(const std::string& thread_id, const Ids& queue) {
  asked[thread_id] = ready(queue);
  asked_after_failure[thread_id] = ready(queue, true);
}

bool StoreWatch::keepsOrder(const std::string& thread_id) const {
  const auto thread = threads.find(thread_id);
  return thread != threads.end() && thread->second.status != "error" &&
         !ready(queueIds(thread_id)).empty();
}

StoreWatch::Ids StoreWatch::ready(const Ids& queue, bool after_failure) const {
  const auto now = clock->nowMs();
  for (auto first = queue.begin(); first != queue.end();) {
    const auto row = queued_.find(*first);
    if (row == queued_.end()) {
      return {first, queue.end()};
    }
    const auto waiting = parsed(row->second.waiting_on);
    const bool is_held = waiting["kind"].asString() == "plugin" &&
                         (waiting["sendAt"].isNull() || waiting["sendAt"].asInteger() > now);
    const bool is_asked_for =
        isRetry(row->second) || row->second.send_at != 0 || !waiting["sendAt"].isNull();
    if (row->second.send_at <= now && !is_held && (is_asked_for || !after_failure)) {
      return {first, queue.end()};
    }
    // What goes with it waits with it.
    bool more = row->second.group_with_next && !isRetry(row->second);
    for (++first; more && first != queue.end(); ++first) {
      const auto next = queued_.find(*first);
      if (next == queued_.end() || isRetry(next->second)) {
        break;
      }
      more = next->second.group_with_next;
    }
  }
  return {};
}

/// Rows leave from the front of what is ready, into the request of the same change, and those that come are the last.
void StoreWatch::checkQueue(const std::string& thread_id, const Ids& before) {
  const auto now = queueIds(thread_id);
  Ids kept;
  Ids gone;
  for (const auto& id : before) {
    (queued_.contains(id) ? kept : gone).push_back(id);
  }
  if (!moving &&
      !std::equal(kept.begin(), kept.end(), now.begin(),
                  now.begin() + static_cast<std::ptrdiff_t>(std::min(kept.size(), now.size())))) {
    blame(fmt::format("thread {}: the order of its queue has changed", thread_id));
  }
  if (gone.empty() || removing || threads.at(thread_id).deleted_at != 0) {
    return;
  }
  const auto leads = [&gone](const Ids& ids) {
    return gone.size() <= ids.size() && std::is_permutation(gone.begin(), gone.end(), ids.begin());
  };
  const auto next = ready(before);
  if (!(gone.size() <= next.size() && std::equal(gone.begin(), gone.end(), next.begin())) &&
      !leads(asked[thread_id]) && !leads(asked_after_failure[thread_id])) {
    blame(fmt::format("thread {}: {} leave the queue before {} (asked about {})", thread_id,
                      fmt::join(gone, " "), fmt::join(before, " "),
                      fmt::join(asked[thread_id], " ")));
  }
}

void StoreWatch::checkWhole(const std::string& thread_id) {
  const auto& thread = threads.at(thread_id);
  if (thread.last_seq != static_cast<std::int64_t>(events_[thread_id].size())) {
    blame(fmt::format("thread {}: its last event is {}, not {}", thread_id,
                      events_[thread_id].size(), thread.last_seq));
  }
  std::string open;
  std::string turn_id;
  for (const auto& [id, turn] : turns) {
    if (turn.thread_id == thread_id && storage::isOpenTurn(turn)) {
      if (!open.empty()) {
        blame(fmt::format("thread {}: two turns are open", thread_id));
      }
      open = turn.state;
      turn_id = turn.turn_id;
    }
  }
  const bool fits = open.empty() ? !isBusyState(thread.status)
                    : open == "started"
                        ? thread.status == "active" || thread.status == "stopping"
                        : thread.status == "starting" || thread.status == "stopping";
  if (!fits) {
    blame(fmt::format("thread {} is {} while its turn is {}", thread_id, thread.status,
                      open.empty() ? "not there" : open));
  }
  for (const auto& [id, row] : interactions) {
    if (row.thread_id == thread_id && storage::isOpenInteraction(row) &&
        parsed(row.origin)["kind"].asString() == "provider" && row.turn_id != turn_id) {
      blame(fmt::format("interaction {} is {} although its turn has ended", id, row.status));
    }
  }
}

void StoreWatch::checkLogs() {
  for (const auto& [id, row] : threads) {
    if (row.deleted_at == 0) {
      checkLog(id);
    }
  }
  for (const auto& [id, turn] : turns) {
    if (threads.contains(turn.thread_id) && threads.at(turn.thread_id).deleted_at == 0) {
      checkTurnIn(turn);
    }
  }
}

void StoreWatch::checkLog(const std::string& thread_id) {
  std::set<std::string> marks;
  std::set<std::string> open_items;
  for (const auto& event : events_[thread_id]) {
    const auto data = parsed(event.data);
    const auto& mark = data["mark"].asString();
    if (!mark.empty() && !marks.insert(mark).second) {
      blame(fmt::format("thread {}: event {} is twice in the log", thread_id, mark));
    }
    const auto& item = data["item"]["id"].asString();
    if (event.type == "item/started") {
      open_items.insert(item);
    } else if (event.type == "item/completed" && open_items.erase(item) == 0) {
      blame(fmt::format("thread {}: item {} ends twice or was never open", thread_id, item));
    }
  }
  if (!isOpen(thread_id) && !open_items.empty()) {
    blame(fmt::format("thread {}: item {} has no end", thread_id, *open_items.begin()));
  }
}

/// What the log has to say of a turn: once that it is wanted, once that it runs, once that and how it has ended.
void StoreWatch::checkTurnIn(const TurnRow& turn) {
  std::map<std::string, int> times;
  std::vector<std::string> said;
  std::string status;
  for (const auto& event : events_[turn.thread_id]) {
    const auto data = parsed(event.data);
    const bool of_turn =
        event.turn_id == turn.turn_id && !turn.turn_id.empty() && data["parentToolCallId"].isNull();
    if (data["requestId"].asString() == turn.request_id ||
        (of_turn && event.type.starts_with("turn/") && event.type != "turn/plan/updated")) {
      ++times[event.type];
      said.push_back(event.type);
      status = event.type == "turn/completed" ? data["status"].asString() : status;
    }
  }
  const bool ended = !storage::isOpenTurn(turn);
  const bool started = turn.started_at != 0;
  const auto expect = [&](const char* type, int at_least, int at_most) {
    if (times[type] < at_least || times[type] > at_most) {
      blame(fmt::format("thread {}: {} is {} times in the log of the turn {} ({}), which is {}",
                        turn.thread_id, type, times[type], turn.request_id, turn.turn_id,
                        turn.state));
    }
  };
  expect("client/turn/requested", 1, 1);
  expect("turn/input/accepted", started ? 1 : 0, started ? 1 : 0);
  expect("turn/started", 0, started ? 1 : 0);
  expect("turn/completed", ended && started ? 1 : 0, ended && started ? 1 : 0);
  expect("client/turn/rejected", ended && !started ? 1 : 0, ended && !started ? 1 : 0);
  if (ended && started && status != turn.state) {
    blame(fmt::format("turn {} is {}, its log says {}", turn.request_id, turn.state, status));
  }
  if (!said.empty() &&
      (said.front() != "client/turn/requested" ||
       (ended && said.back() != "turn/completed" && said.back() != "client/turn/rejected"))) {
    blame(fmt::format("the log of the turn {} is out of order", turn.request_id));
  }
}

void StoreWatch::compare(storage::IThreadStore& store) {
  const auto rows = store.threads();
  for (const auto& row : rows.value()) {
    if (!threads.contains(row.id) || !(threads.at(row.id) == row)) {
      blame(fmt::format("thread {} is another one in the store", row.id));
      continue;
    }
    const auto events = store.events({.thread_id = row.id, .limit = 100'000});
    if (!(events.value() == events_[row.id])) {
      blame(fmt::format("the log of thread {} is another one in the store", row.id));
    }
    const auto stored_turns = store.turns(row.id);
    for (const auto& turn : stored_turns.value()) {
      if (!turns.contains(turn.request_id) || !(turns.at(turn.request_id) == turn)) {
        blame(fmt::format("turn {} is another one in the store", turn.request_id));
      }
    }
  }
  const auto waiting = store.queuedMessages();
  if (rows.value().size() != threads.size() || waiting.value().size() != queued_.size()) {
    blame("the store has other threads or messages than it was given");
  }
}

int StoreWatch::count(const std::string& word) const {
  int out = 0;
  const auto has = [&word](const Json& input) {
    const auto words = wordsOf(input);
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  for (const auto& [id, row] : queued_) {
    out += parsed(row.payload)["kind"].asString() == "inline" && has(parsed(row.content)) ? 1 : 0;
  }
  for (const auto& [id, log] : events_) {
    for (const auto& event : log) {
      if (event.type == "client/turn/requested") {
        const auto data = parsed(event.data);
        out += data["continuationOfRequestId"].isNull() && has(data["input"]) ? 1 : 0;
      }
    }
  }
  return out;
}

std::vector<QueuedMessageRow> StoreWatch::queue(const std::string& thread_id) const {
  std::vector<QueuedMessageRow> rows;
  for (const auto& [id, row] : queued_) {
    if (row.thread_id == thread_id) {
      rows.push_back(row);
    }
  }
  std::sort(rows.begin(), rows.end(), [](const auto& left, const auto& right) {
    return std::tie(left.sort_key, left.id) < std::tie(right.sort_key, right.id);
  });
  return rows;
}

StoreWatch::Ids StoreWatch::queueIds(const std::string& thread_id) const {
  Ids out;
  for (const auto& row : queue(thread_id)) {
    out.push_back(row.id);
  }
  return out;
}

bool StoreWatch::isOpen(const std::string& thread_id) const {
  return std::any_of(turns.begin(), turns.end(), [&](const auto& each) {
    return each.second.thread_id == thread_id && storage::isOpenTurn(each.second);
  });
}

StoreWatch::Ids StoreWatch::outliving() const {
  Ids out;
  for (const auto& [id, turn] : turns) {
    const auto thread = threads.find(turn.thread_id);
    if (turn.state == "accepted" && thread != threads.end() && thread->second.deleted_at == 0 &&
        thread->second.archived_at == 0 && thread->second.status == "starting") {
      out.push_back(id);
    }
  }
  return out;
}

const std::vector<ThreadEventRow>& StoreWatch::log(const std::string& thread_id) const {
  static const std::vector<ThreadEventRow> kNone;
  const auto found = events_.find(thread_id);
  return found == events_.end() ? kNone : found->second;
}

}  // namespace svc::threads::model
