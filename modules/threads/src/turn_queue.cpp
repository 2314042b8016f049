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
    storeAllLate();
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

void TurnRunner::doDrain(const std::string& thread_id, bool asked_for) {
  const auto thread = book_.thread(thread_id);
  const auto rows = book_.queue(thread_id);
  if (!thread || rows.empty() || thread.value().archived_at != 0 || asking_.contains(thread_id) ||
      isBusy(*threadStateOf(thread.value().status)) || crew_.agents == nullptr) {
    return;
  }
  const auto& head = rows.front();
  const bool retries = isRetry(head);
  if ((thread.value().status == nameOf(ThreadState::kError) && !retries && !asked_for) ||
      !book_.interactions(thread_id).empty() || head.send_at > book_.now() ||
      // A plugin that has named a time is asked again then.
      (parsed(head.waiting_on)["kind"].asString() == "plugin" && head.send_at == 0)) {
    return;
  }
  Attempt attempt{.message = messageOf(head), .queued = {head}};
  auto groups = Json::array();
  groups.push(attempt.message.input);
  // A retry goes alone: it says again what one turn has said.
  for (std::size_t at = 0;
       !retries && at + 1 < rows.size() && rows[at].group_with_next && !isRetry(rows[at + 1]);
       ++at) {
    const auto next = messageOf(rows[at + 1]);
    groups.push(next.input);
    attempt.mixed = attempt.mixed || next.initiator != attempt.message.initiator;
    for (const auto& block : next.input.items()) {
      attempt.message.input.push(block);
    }
    attempt.queued.push_back(rows[at + 1]);
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
    doDrain(thread_id, true);
  });
}

}  // namespace svc::threads
