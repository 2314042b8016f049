#include "event_log.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "newest_events.h"
#include "thread_limits.h"
#include "thread_record.h"
#include "turn_edit.h"

namespace svc::threads {

using common::Json;
using storage::ThreadEventRow;

namespace {

/// Characters of one line of an outline.
constexpr std::size_t kPreview = 200;

Json attachmentSummary(const Json& input) {
  std::int64_t files = 0;
  std::int64_t images = 0;
  for (const auto& block : input.items()) {
    if (!isShown(block)) {
      continue;
    }
    const auto& type = block["type"].asString();
    files += type == "localFile" ? 1 : 0;
    images += type == "localImage" || type == "image" ? 1 : 0;
  }
  return files + images == 0 ? Json()
                             : Json::object().set("fileCount", files).set("imageCount", images);
}

}  // namespace

Result<Json> EventLog::list(const storage::ThreadEventQuery& query) const {
  if (const auto thread = book_.thread(query.thread_id); !thread) {
    return thread.error();
  }
  const auto events = book_.store().events(query);
  if (!events) {
    return events.error();
  }
  auto out = Json::array();
  for (const auto& row : events.value()) {
    out.push(toRecord(row));
  }
  return out;
}

void EventLog::wait(const std::string& thread_id, const std::string& type, std::int64_t after_seq,
                    std::int64_t wait_ms, Completion<Json> done) {
  if (const auto thread = book_.thread(thread_id); !thread) {
    return done(thread.error());
  }
  int number = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (waiters_.size() < kEventWaiters) {
      number = ++last_;
      waiters_.emplace(number, Waiter{thread_id, type, after_seq, std::move(done)});
    }
  }
  if (number == 0) {
    return done(Error{errc::kOverloaded, fmt::format("{} requests wait for events already; try "
                                                     "again later",
                                                     kEventWaiters)});
  }
  // After it waits, so that nothing comes in between.
  const auto found = book_.store().events(
      {.thread_id = thread_id, .after_seq = after_seq, .types = {type}, .limit = 1});
  if (found && !found.value().empty()) {
    answer(number, toRecord(found.value().front()));
  } else if (wait_ms == 0) {
    answer(number, {});
  } else {
    timers_.post(
        [this, number, wait_ms] { startTimer(number, std::chrono::milliseconds(wait_ms)); });
  }
}

/// On the executor.
void EventLog::startTimer(int number, std::chrono::milliseconds wait) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = waiters_.find(number); found != waiters_.end()) {
    found->second.timer = timers_.after(wait, [this, number] { answer(number, {}); });
  }
}

void EventLog::answer(int number, Json event) {
  Waiters::node_type found;
  {
    const std::scoped_lock lock(mutex_);
    found = waiters_.extract(number);
  }
  if (!found.empty()) {
    found.mapped().done(std::move(event));
  }
}

void EventLog::added(const std::vector<ThreadEventRow>& events) {
  std::vector<std::pair<int, Json>> answers;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [number, waiter] : waiters_) {
      for (const auto& event : events) {
        if (event.thread_id == waiter.thread_id && event.type == waiter.type &&
            event.seq > waiter.after_seq) {
          answers.emplace_back(number, toRecord(event));
          break;
        }
      }
    }
  }
  for (auto& [number, event] : answers) {
    answer(number, std::move(event));
  }
}

void EventLog::removed(const std::string& thread_id) {
  std::vector<Waiter> ended;
  {
    const std::scoped_lock lock(mutex_);
    for (auto at = waiters_.begin(); at != waiters_.end();) {
      const auto next = std::next(at);
      if (at->second.thread_id == thread_id) {
        ended.push_back(std::move(waiters_.extract(at).mapped()));
      }
      at = next;
    }
  }
  for (auto& waiter : ended) {
    waiter.done(noSuchThread(thread_id));
  }
}

void EventLog::release() {
  Waiters all;
  {
    const std::scoped_lock lock(mutex_);
    all.swap(waiters_);
  }
  for (auto& [number, waiter] : all) {
    waiter.done(Json());
  }
}

Result<Json> EventLog::outline(const std::string& thread_id, const std::stop_token& stop) const {
  const auto thread = book_.thread(thread_id);
  if (!thread) {
    return thread.error();
  }
  const auto events = newestEvents(book_.store(),
                                   {.thread_id = thread_id,
                                    .types = {"client/turn/requested", "item/completed"},
                                    .limit = kTimelineEvents},
                                   stop);
  if (!events) {
    return events.error();
  }
  auto items = Json::array();
  for (const auto& row : events.value()) {
    if (auto goes_on = unlessStopped(stop); !goes_on) {
      return std::move(goes_on).error();
    }
    const auto data = parsed(row.data);
    const bool user = row.type == "client/turn/requested";
    if (!user && data["item"]["type"].asString() != "agentMessage") {
      continue;
    }
    const auto text = user ? textOf(data["input"]) : data["item"]["text"].asString();
    items.push(Json::object()
                   .set("id", user ? data["requestId"] : data["item"]["id"])
                   .set("role", user ? "user" : "assistant")
                   .set("preview", clipped(text, kPreview))
                   .set("attachmentSummary", user ? attachmentSummary(data["input"]) : Json()));
  }
  return Json::object().set("items", std::move(items)).set("maxSeq", thread.value().last_seq);
}

Result<Json> EventLog::promptHistory(const std::string& thread_id, std::size_t limit) const {
  if (const auto thread = book_.thread(thread_id); !thread) {
    return thread.error();
  }
  const auto events = book_.store().events({.thread_id = thread_id,
                                            .descending = true,
                                            .types = {"client/turn/requested"},
                                            .limit = kPageMax});
  if (!events) {
    return events.error();
  }
  auto out = Json::array();
  for (const auto& row : events.value()) {
    const auto data = parsed(row.data);
    if (data["initiator"].asString() == "user" && data["typed"].asBool(true) &&
        out.items().size() < limit) {
      out.push(Json::object()
                   .set("id", data["requestId"])
                   .set("createdAt", row.created_at)
                   .set("input", data["input"]));
    }
  }
  return out;
}

Result<Json> EventLog::projectHistory(const std::string& project_id, std::size_t limit) const {
  auto threads = book_.threads();
  std::erase_if(threads, [&project_id](const storage::ThreadRow& row) {
    return row.project_id != project_id || row.hidden;
  });
  const auto newest = [](const auto& a, const auto& b) { return a.updated_at > b.updated_at; };
  std::sort(threads.begin(), threads.end(), newest);
  std::vector<Json> entries;
  for (const auto& thread : threads) {
    // Nothing in a thread is newer than its last change.
    if (entries.size() == limit && entries.back()["createdAt"].asInteger() > thread.updated_at) {
      break;
    }
    const auto history = promptHistory(thread.id, limit);
    if (!history && history.error().code == errc::kNotFound) {
      continue;  // deleted meanwhile
    }
    if (!history) {
      return history;
    }
    entries.insert(entries.end(), history.value().items().begin(), history.value().items().end());
    std::stable_sort(entries.begin(), entries.end(), [](const Json& a, const Json& b) {
      return a["createdAt"].asInteger() > b["createdAt"].asInteger();
    });
    entries.resize(std::min(entries.size(), limit));
  }
  auto out = Json::array();
  for (auto& entry : entries) {
    out.push(std::move(entry));
  }
  return out;
}

Result<Json> EventLog::executionOptions(const std::string& thread_id) const {
  const auto thread = book_.thread(thread_id);
  if (!thread) {
    return thread.error();
  }
  const auto last = book_.store().events(
      {.thread_id = thread_id, .descending = true, .types = {"client/turn/requested"}, .limit = 1});
  if (!last) {
    return last.error();
  }
  auto out = Json::object().set("providerId", thread.value().provider_id);
  const auto execution = executionOf(thread.value(), {});
  for (const auto& [key, value] : execution.members()) {
    out.set(key, value);
  }
  out.set("source", "client/turn/requested");
  if (!last.value().empty()) {
    out.set("seq", last.value().front().seq);
  }
  return out;
}

}  // namespace svc::threads
