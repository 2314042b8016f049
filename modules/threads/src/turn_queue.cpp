// Messages that wait: when they go, and what they wait for.
#include <algorithm>
#include <utility>

#include "svc/common/codes.h"
#include "svc/common/sort_key.h"

#include "thread_record.h"
#include "turn_runner.h"

namespace svc::threads {

using common::Json;

namespace {

bool isRetry(const storage::QueuedMessageRow& row) {
  return parsed(row.payload)["kind"].asString() == "retry";
}

}  // namespace

void TurnRunner::drain(std::string thread_id) {
  later([this, thread_id = std::move(thread_id)] { doDrain(thread_id); });
}

void TurnRunner::tick() {
  later([this] {
    (void)recoverThreads();
    tellAllOwed();
    bringOutliving();
    storeAllLate();
    endResting();
    deliverAgain();
    spawnHeld();
    clearOldWaits();
    for (const auto& id : book_.threadsWithQueue()) {
      doDrain(id);
    }
  });
}

/// Rows that wait for this plugin wait no longer for it.
void TurnRunner::clearWaits(const std::string& plugin_id) {
  for (const auto& id : book_.threadsWithQueue()) {
    Edit edit(book_);
    auto thread = edit.thread(id);
    if (!thread) {
      continue;
    }
    for (auto row : book_.queue(id)) {
      if (parsed(row.waiting_on)["pluginId"].asString() == plugin_id) {
        nowWaitsFor(edit, *thread.value(), std::move(row), {});
      }
    }
    if (!edit.change.queued.empty() && edit.commit()) {
      doDrain(id);
    }
  }
}

void TurnRunner::clearOldWaits() {
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
  std::erase_if(decided_by_, [&](const auto& entry) { return !waited_for.contains(entry.first); });
  for (const auto& plugin_id : waited_for) {
    lookFor(plugin_id);
  }
}

void TurnRunner::lookFor(const std::string& plugin_id) {
  if (!looked_for_.insert(plugin_id).second) {
    return;
  }
  crew_.plugins->acquire(plugin_id, [this, plugin_id](const Result<plugins::GenerationPtr>& at) {
    // One that is being loaded, at a start or by a reload, may still decide.
    const bool gone = !at && (at.error().code == errc::kUnknownPlugin ||
                              (at.error().code == errc::kPluginNotRunning &&
                               parsed(at.error().details)["status"].asString() != "starting"));
    const std::uint64_t load_id = at && at.value() ? at.value()->loadId() : 0;
    later([this, plugin_id, gone, load_id] {
      looked_for_.erase(plugin_id);
      if (gone) {
        clearWaits(plugin_id);
      } else if (load_id != 0) {
        sawLoad(plugin_id, load_id, false);
      }
    });
  });
}

/// The plugin has decided just now.
void TurnRunner::rememberLoad(const std::string& plugin_id) {
  if (crew_.plugins == nullptr) {
    return;
  }
  crew_.plugins->acquire(plugin_id, [this, plugin_id](const Result<plugins::GenerationPtr>& at) {
    if (at && at.value()) {
      later(
          [this, plugin_id, load_id = at.value()->loadId()] { sawLoad(plugin_id, load_id, true); });
    }
  });
}

void TurnRunner::sawLoad(const std::string& plugin_id, std::uint64_t load_id, bool decided) {
  const auto known = decided_by_.find(plugin_id);
  if (known != decided_by_.end() && known->second == load_id) {
    return;
  }
  // Rows of an earlier load stay what they are until they are looked at: the first one remembered is the oldest.
  if (!decided || known == decided_by_.end()) {
    decided_by_[plugin_id] = load_id;
  }
  if (!decided) {
    clearWaits(plugin_id);
  }
}

bool TurnRunner::mayGo(const storage::QueuedMessageRow& row, bool after_failure) const {
  const auto waiting = parsed(row.waiting_on);
  const auto& until = waiting["sendAt"];
  // A plugin that has named a time is asked again then.
  const bool is_held =
      waiting["kind"].asString() == "plugin" && (until.isNull() || until.asInteger() > book_.now());
  // Who has named a time means it, whatever became of the turn before.
  const bool is_asked_for = isRetry(row) || row.send_at != 0 || !until.isNull();
  return (is_asked_for || !after_failure) && row.send_at <= book_.now() && !is_held;
}

std::vector<storage::QueuedMessageRow> TurnRunner::nextOf(
    const std::vector<storage::QueuedMessageRow>& rows, bool after_failure) const {
  for (auto first = rows.begin(); first != rows.end();) {
    auto end = std::next(first);
    // A retry goes alone: it says again what one turn has said.
    while (end != rows.end() && std::prev(end)->group_with_next && !isRetry(*first) &&
           !isRetry(*end)) {
      ++end;
    }
    if (mayGo(*first, after_failure)) {
      return {first, end};
    }
    first = end;
  }
  return {};
}

TurnRunner::Done TurnRunner::nobody() {
  return std::make_shared<Completion<Json>>([](const Result<Json>&) {});
}

std::optional<TurnRunner::Attempt> TurnRunner::nextAttempt(const std::string& thread_id,
                                                           bool asked_for) const {
  const auto thread = book_.thread(thread_id);
  if (!thread || thread.value().archived_at != 0 || asking_.contains(thread_id) ||
      isBusy(*threadStateOf(thread.value().status)) || crew_.agents == nullptr ||
      !book_.interactions(thread_id).empty()) {
    return {};
  }
  const bool failed = thread.value().status == nameOf(ThreadState::kError);
  auto rows = nextOf(book_.queue(thread_id), failed && !asked_for);
  if (rows.empty()) {
    return {};
  }
  Attempt attempt{.message = messageOf(rows.front())};
  auto groups = Json::array();
  groups.push(attempt.message.input);
  for (auto row = std::next(rows.begin()); row != rows.end(); ++row) {
    const auto next = messageOf(*row);
    groups.push(next.input);
    attempt.mixed = attempt.mixed || next.initiator != attempt.message.initiator;
    attempt.message.typed = attempt.message.typed || next.typed;
    for (const auto& block : next.input.items()) {
      attempt.message.input.push(block);
    }
    attempt.message.groups = groups;
  }
  attempt.queued = std::move(rows);
  return attempt;
}

void TurnRunner::doDrain(const std::string& thread_id, bool asked_for) {
  auto attempt = nextAttempt(thread_id, asked_for);
  if (!attempt) {
    return;
  }
  if (const auto place = hasPlace(book_.thread(thread_id).value()); !place) {
    return refuseQueued(*attempt, place.error().message, place.error().code);
  }
  askHooks(std::move(*attempt), nobody());
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
    if (const auto place = hasPlace(thread.value()); !place) {
      return answer(place.error());
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
      if (found != rows.begin()) {
        row.sort_key = common::sortKeyBetween({}, rows.front().sort_key);
      }
      nowWaitsFor(edit, *edit.thread(thread_id).value(), std::move(row), {});
      if (auto stored = edit.commit(); !stored) {
        return answer(stored.error());
      }
    }
    answer(record);
    doDrain(thread_id, true);
  });
}

}  // namespace svc::threads
