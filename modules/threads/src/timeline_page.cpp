#include "timeline_page.h"

#include <algorithm>
#include <utility>

#include "newest_events.h"
#include "shown_rows.h"
#include "thread_record.h"

namespace svc::threads {

using common::Json;
using storage::IThreadStore;
using storage::ThreadEventRow;

namespace {

/// What one event takes in memory beside its text.
constexpr std::size_t kEventBytes = 1024;

constexpr const char* kPlan = "turn/plan/updated";
constexpr const char* kGoal = "thread/goal/updated";
constexpr const char* kNoGoal = "thread/goal/cleared";
constexpr const char* kUsage = "thread/contextWindowUsage/updated";

Json todosOf(const ThreadEventRow& event) {
  const auto data = parsed(event.data);
  if (data["plan"].items().empty()) {
    return {};
  }
  auto items = Json::array();
  std::int64_t number = 0;
  for (const auto& step : data["plan"].items()) {
    const auto& status = step["status"].asString();
    items.push(Json::object()
                   .set("id", std::to_string(number++))
                   .set("text", step["step"])
                   .set("status", status == "active"      ? "in_progress"
                                  : status == "completed" ? "completed"
                                                          : "pending"));
  }
  return Json::object()
      .set("items", std::move(items))
      .set("sourceSeq", event.seq)
      .set("updatedAt", event.created_at);
}

Json goalOf(const ThreadEventRow& event) {
  const auto data = parsed(event.data);
  return Json::object()
      .set("objective", data["objective"])
      .set("status", data["status"])
      .set("sourceSeq", event.seq)
      .set("tokenBudget", data["tokenBudget"])
      .set("tokensUsed", data["tokensUsed"])
      .set("timeUsedSeconds", data["timeUsedSeconds"])
      .set("updatedAt", event.created_at);
}

/// The work rows of the turn that runs which are not at their end.
std::vector<Json> workOpenIn(const TimelineRows& rows, const TimelineRows::Grown& grown,
                             const char* work_kind) {
  std::vector<Json> out;
  if (const auto& segments = rows.segments(); !segments.empty() && !segments.back().ended) {
    for (const auto& row : segments.back().rows) {
      if (row.json["workKind"].asString() == work_kind &&
          row.json["status"].asString() == "pending") {
        const auto with_text = grown.find(&row);
        out.push_back(with_text == grown.end() ? row.json : with_text->second.json);
      }
    }
  }
  return out;
}

/// What the agent thinks now; null when it does not.
Json activeThinking(const std::vector<Json>& thoughts, std::int64_t updated_at) {
  if (thoughts.empty()) {
    return {};
  }
  const auto& last = thoughts.back();
  return Json::object()
      .set("id", last["itemId"])
      .set("text", last["text"])
      .set("startedAt", last["startedAt"])
      .set("updatedAt", std::max(updated_at, last["startedAt"].asInteger()));
}

/// The rows of the answer: all of them, or what has changed.
void setRows(Json& timeline, const std::vector<const TimelineRows::Row*>& shown,
             const std::optional<std::int64_t>& after_sequence) {
  auto rows = Json::array();
  auto order = Json::array();
  bool moved = false;
  for (const auto* row : shown) {
    if (!after_sequence || row->open || row->last_seq > *after_sequence) {
      moved = moved || (after_sequence && row->last_seq > *after_sequence);
      rows.push(row->json);
    }
  }
  if (!after_sequence) {
    timeline.set("rows", std::move(rows));
    return;
  }
  auto delta = Json::object().set("upsertRows", std::move(rows));
  if (moved) {
    for (const auto* row : shown) {
      order.push(row->json["id"]);
    }
    delta.set("rowOrder", std::move(order));
  }
  timeline.set("delta", std::move(delta));
}

}  // namespace

Result<TimelinePage> TimelinePage::read(IThreadStore& store, const TimelineQuery& query,
                                        std::int64_t last_seq) {
  auto bounded = query;
  if (query.before_anchor_seq == 0) {
    bounded.before_anchor_seq = last_seq + 1;
  }
  const auto read = timelineEvents(store, bounded);
  if (!read) {
    return read.error();
  }
  const auto& events = read.value().events;
  TimelinePage page(query.thread_id);
  page.has_older_ = read.value().has_older && !events.empty();
  page.in_turn_ = read.value().in_turn;
  page.has_gap_ = read.value().has_gap;
  if (!events.empty()) {
    page.first_seq_ = events.front().seq;
    page.first_id_ = events.front().id;
  }
  // They may be older than the page.
  for (const auto& types :
       std::vector<std::vector<std::string>>{{kPlan}, {kGoal, kNoGoal}, {kUsage}}) {
    const auto latest = store.events({.thread_id = query.thread_id,
                                      .before_seq = last_seq + 1,
                                      .descending = true,
                                      .types = types,
                                      .limit = 1});
    if (latest && !latest.value().empty()) {
      page.follow(latest.value().front());
    }
  }
  if (auto taken = page.take(events, query.stop); !taken) {
    return std::move(taken).error();
  }
  page.last_seq_ = last_seq;
  return page;
}

Result<bool> TimelinePage::extend(IThreadStore& store, const TimelineQuery& query,
                                  std::int64_t last_seq) {
  while (last_seq_ < last_seq) {
    const auto more = store.events({.thread_id = query.thread_id,
                                    .after_seq = last_seq_,
                                    .before_seq = last_seq + 1,
                                    .limit = kPageMax});
    if (!more) {
      return more.error();
    }
    const auto& events = more.value();
    if (!staysWith(events, query)) {
      return false;
    }
    if (auto taken = take(events, query.stop); !taken) {
      return std::move(taken).error();
    }
    for (const auto& event : events) {
      follow(event);
    }
    last_seq_ = events.size() < kPageMax ? last_seq : events.back().seq;
  }
  return true;
}

Status TimelinePage::take(const std::vector<ThreadEventRow>& events, const std::stop_token& stop) {
  for (const auto& event : events) {
    bytes_ += event.data.size() + kEventBytes;
  }
  events_ += events.size();
  return rows_.add(events, stop);
}

void TimelinePage::follow(const ThreadEventRow& event) {
  if (event.type == kPlan) {
    todos_ = todosOf(event);
  } else if (event.type == kGoal) {
    goal_ = goalOf(event);
  } else if (event.type == kNoGoal) {
    goal_ = Json();
  } else if (event.type == kUsage) {
    usage_ = parsed(event.data)["contextWindowUsage"];
  }
}

/// Where read() begins is decided by how many events there are and where turns begin and end.
bool TimelinePage::staysWith(const std::vector<ThreadEventRow>& more,
                             const TimelineQuery& query) const {
  if (events_ == 0 || events_ + more.size() > query.max_events) {
    return false;
  }
  const auto begin = std::count_if(more.begin(), more.end(), beginsTurn);
  if (in_turn_) {
    return begin == 0 && std::none_of(more.begin(), more.end(), endsTurn);
  }
  return anchored() + static_cast<std::size_t>(begin) <= query.segment_limit;
}

std::size_t TimelinePage::anchored() const {
  const auto& segments = rows_.segments();
  return static_cast<std::size_t>(
      std::count_if(segments.begin(), segments.end(),
                    [](const auto& segment) { return !segment.anchor_id.empty(); }));
}

/// Where the page is among the others.
Json TimelinePage::place(const TimelineQuery& query) const {
  Json cursor;
  if (has_older_) {
    // What was asked for first; of a page that begins in the middle of a turn its first event.
    const bool at_event = in_turn_ || rows_.segments().empty();
    cursor = Json::object()
                 .set("anchorSeq", at_event ? first_seq_ : rows_.segments().front().anchor_seq)
                 .set("anchorId", at_event ? first_id_ : rows_.segments().front().anchor_id);
  }
  return Json::object()
      .set("kind", query.before_anchor_seq == 0 ? "latest" : "older")
      .set("segmentLimit", query.segment_limit)
      .set("returnedSegmentCount", anchored())
      .set("hasOlderRows", has_older_)
      .set("olderCursor", std::move(cursor));
}

Json TimelinePage::show(const TimelineQuery& query, const storage::ThreadRow& thread,
                        const LiveTexts::Texts& live) const {
  const auto grown = rows_.grown(live);
  auto timeline =
      Json::object()
          .set("rows", Json::array())
          .set("maxSeq", last_seq_)
          .set("goal", goal_)
          .set("pendingTodos", todos_)
          .set("activeThinking",
               activeThinking(workOpenIn(rows_, grown, "reasoning"), thread.updated_at))
          .set("activePromptMode", nullptr)
          .set("activeWorkflows", Json(Json::Array(workOpenIn(rows_, grown, "workflow"))))
          .set("activeBackgroundCommands", Json::array())
          .set("modelFallback", nullptr)
          .set("timelinePage", place(query))
          .set("hasOlderRows", has_older_);
  if (!usage_.isNull()) {
    timeline.set("contextWindowUsage", usage_);
  }
  if (query.after_sequence && *query.after_sequence >= last_seq_ && grown.empty()) {
    // Who knows the newest event knows all rows.
    setRows(timeline, {}, query.after_sequence);
  } else {
    const ShownRows shown(rows_, grown, query, has_gap_);
    setRows(timeline, shown.all(), query.after_sequence);
  }
  return timeline;
}

}  // namespace svc::threads
