#include "timeline.h"

#include <algorithm>
#include <utility>

#include "svc/common/codes.h"

#include "thread_record.h"
#include "timeline_events.h"

namespace svc::threads {

using common::Json;
using storage::ThreadEventRow;

namespace {

bool isConversation(const Json& row, const char* role) {
  return row["kind"].asString() == "conversation" && row["role"].asString() == role;
}

using Rows = std::vector<TimelineRows::Row>;

Rows::const_iterator lastText(const TimelineRows::Segment& segment) {
  const auto found = std::find_if(segment.rows.rbegin(), segment.rows.rend(), [](const auto& row) {
    return isConversation(row.json, "assistant");
  });
  return found == segment.rows.rend() ? segment.rows.end() : std::prev(found.base());
}

/// Says how a turn has ended.
bool isEnd(const Json& row) {
  return row["kind"].asString() == "system" &&
         (row["systemKind"].asString() == "error" ||
          row["operationKind"].asString() == "thread-interrupted");
}

/// How many rows of a turn are its steps: those after its last text that say why it did not end well are none.
std::size_t stepsOf(const TimelineRows::Segment& segment, const Rows& inside,
                    std::int64_t text_seq) {
  auto steps = inside.size();
  while (segment.status != "completed" && steps > 0 && isEnd(inside[steps - 1].json) &&
         inside[steps - 1].first_seq > text_seq) {
    --steps;
  }
  return steps;
}

/// The rows of a finished segment: what the user said, one row that folds the rest, the last thing the agent said.
Rows folded(const TimelineRows::Segment& segment, const TimelineQuery& query, bool has_gap) {
  Rows out;
  Rows inside;
  const auto last = lastText(segment);
  for (auto row = segment.rows.begin(); row != segment.rows.end(); ++row) {
    if (row != last) {
      (isConversation(row->json, "user") ? out : inside).push_back(*row);
    }
  }
  std::sort(inside.begin(), inside.end(),
            [](const auto& left, const auto& right) { return left.first_seq < right.first_seq; });
  if (!inside.empty()) {
    const auto text_seq = last == segment.rows.end() ? 0 : last->first_seq;
    auto children = Json::array();
    // It is new when the turn has ended, though nothing in it is.
    TimelineRows::Row turn{.first_seq = has_gap ? segment.anchor_seq + 1 : inside.front().first_seq,
                           .last_seq = segment.ended_seq};
    std::int64_t last_seq = 0;
    for (const auto& row : inside) {
      last_seq = std::max(last_seq, row.json["sourceSeqEnd"].asInteger());
      turn.last_seq = std::max(turn.last_seq, row.last_seq);
      children.push(row.json);
    }
    turn.json = Json::object()
                    .set("id", "turn:" + segment.anchor_id)
                    .set("threadId", query.thread_id)
                    .set("turnId", textOrNull(segment.turn_id))
                    .set("sourceSeqStart", turn.first_seq)
                    .set("sourceSeqEnd", last_seq)
                    .set("startedAt", inside.front().json["startedAt"])
                    .set("createdAt", inside.front().json["createdAt"])
                    .set("kind", "turn")
                    .set("status", segment.status)
                    .set("summaryCount", inside.size())
                    .set("stepCount", stepsOf(segment, inside, text_seq))
                    .set("completedAt", timeOrNull(segment.ended_at))
                    .set("children", query.include_nested ? std::move(children) : Json());
    out.push_back(std::move(turn));
  }
  if (last != segment.rows.end()) {
    out.push_back(*last);
  }
  return out;
}

/// The latest event of a type, as data; null when there is none.
Json latestOf(const ThreadBook& book, const std::string& thread_id,
              const std::vector<std::string>& types, ThreadEventRow* found = nullptr) {
  const auto rows =
      book.store().events({.thread_id = thread_id, .descending = true, .types = types, .limit = 1});
  if (!rows || rows.value().empty()) {
    return {};
  }
  if (found != nullptr) {
    *found = rows.value().front();
  }
  return parsed(rows.value().front().data);
}

Json pendingTodos(const ThreadBook& book, const std::string& thread_id) {
  ThreadEventRow row;
  const auto data = latestOf(book, thread_id, {"turn/plan/updated"}, &row);
  if (data.isNull() || data["plan"].items().empty()) {
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
      .set("sourceSeq", row.seq)
      .set("updatedAt", row.created_at);
}

Json goalOf(const ThreadBook& book, const std::string& thread_id) {
  ThreadEventRow row;
  auto data = latestOf(book, thread_id, {"thread/goal/updated", "thread/goal/cleared"}, &row);
  if (data.isNull() || row.type == "thread/goal/cleared") {
    return {};
  }
  return Json::object()
      .set("objective", data["objective"])
      .set("status", data["status"])
      .set("sourceSeq", row.seq)
      .set("tokenBudget", data["tokenBudget"])
      .set("tokensUsed", data["tokensUsed"])
      .set("timeUsedSeconds", data["timeUsedSeconds"])
      .set("updatedAt", row.created_at);
}

/// The work rows of the turn that runs which are not at their end.
std::vector<Json> workOpenIn(const TimelineRows& projection, const char* work_kind) {
  std::vector<Json> out;
  if (const auto& segments = projection.segments(); !segments.empty() && !segments.back().ended) {
    for (const auto& row : segments.back().rows) {
      if (row.json["workKind"].asString() == work_kind &&
          row.json["status"].asString() == "pending") {
        out.push_back(row.json);
      }
    }
  }
  return out;
}

/// What the agent thinks now; null when it does not.
Json activeThinking(const TimelineRows& projection, std::int64_t updated_at) {
  const auto thoughts = workOpenIn(projection, "reasoning");
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

/// What was asked for first; of a page that begins in the middle of a turn its first event.
Json olderCursor(const TimelineRows::Segment& first, const TimelineEvents& page) {
  const auto& event = page.events.front();
  return Json::object()
      .set("anchorSeq", page.in_turn ? event.seq : first.anchor_seq)
      .set("anchorId", page.in_turn ? event.id : first.anchor_id);
}

}  // namespace

Result<Json> readTimeline(const ThreadBook& book, const TimelineQuery& query,
                          const LiveTexts::Texts& live) {
  const auto thread = book.thread(query.thread_id);
  if (!thread) {
    return thread.error();
  }
  const auto page = timelineEvents(book.store(), query);
  if (!page) {
    return page.error();
  }
  TimelineRows projection(query.thread_id);
  if (auto added = projection.add(page.value().events, query.stop); !added) {
    return std::move(added).error();
  }
  projection.stream(live);
  Rows all;
  std::size_t anchored = 0;
  for (const auto& segment : projection.segments()) {
    anchored += segment.anchor_id.empty() ? 0 : 1;
    auto rows = segment.ended ? folded(segment, query, page.value().has_gap) : segment.rows;
    std::move(rows.begin(), rows.end(), std::back_inserter(all));
  }
  if (query.summary_only) {
    std::erase_if(all, [](const auto& row) {
      const auto& kind = row.json["kind"].asString();
      return kind != "conversation" && kind != "turn";
    });
  }
  auto rows = Json::array();
  auto changed = Json::array();
  auto order = Json::array();
  bool moved = false;
  for (auto& row : all) {
    order.push(row.json["id"]);
    if (!query.after_sequence) {
      rows.push(std::move(row.json));
    } else if (row.open || row.last_seq > *query.after_sequence) {
      moved = moved || row.last_seq > *query.after_sequence;
      changed.push(std::move(row.json));
    }
  }
  const bool older = page.value().has_older && !page.value().events.empty();
  auto cursor = older ? olderCursor(projection.segments().front(), page.value()) : Json();
  auto timeline =
      Json::object()
          .set("rows", std::move(rows))
          .set("maxSeq", thread.value().last_seq)
          .set("goal", goalOf(book, query.thread_id))
          .set("pendingTodos", pendingTodos(book, query.thread_id))
          .set("activeThinking", activeThinking(projection, thread.value().updated_at))
          .set("activePromptMode", nullptr)
          .set("activeWorkflows", Json(Json::Array(workOpenIn(projection, "workflow"))))
          .set("activeBackgroundCommands", Json::array())
          .set("modelFallback", nullptr)
          .set("timelinePage", Json::object()
                                   .set("kind", query.before_anchor_seq == 0 ? "latest" : "older")
                                   .set("segmentLimit", query.segment_limit)
                                   .set("returnedSegmentCount", anchored)
                                   .set("hasOlderRows", older)
                                   .set("olderCursor", std::move(cursor)))
          .set("hasOlderRows", older);
  if (const auto usage = latestOf(book, query.thread_id, {"thread/contextWindowUsage/updated"});
      !usage.isNull()) {
    timeline.set("contextWindowUsage", usage["contextWindowUsage"]);
  }
  if (query.after_sequence) {
    auto delta = Json::object().set("upsertRows", std::move(changed));
    if (moved) {
      delta.set("rowOrder", std::move(order));
    }
    timeline.set("delta", std::move(delta));
  }
  return timeline;
}

Result<Json> readTurnRows(const ThreadBook& book, const std::string& thread_id,
                          std::int64_t first_seq, std::int64_t last_seq, std::size_t max_events,
                          const std::stop_token& stop) {
  if (const auto thread = book.thread(thread_id); !thread) {
    return thread.error();
  }
  const auto turn = turnEvents(book.store(), thread_id, first_seq, last_seq, max_events, stop);
  if (!turn) {
    return turn.error();
  }
  TimelineRows projection(thread_id);
  if (auto added = projection.add(turn.value().events, stop); !added) {
    return std::move(added).error();
  }
  const auto rest = restOfTurn(book.store(), thread_id, turn.value().last_seq);
  if (!rest) {
    return rest.error();
  }
  projection.close();
  auto rows = Json::array();
  for (const auto& segment : projection.segments()) {
    // The last text of a finished turn stands beside its row. The range may end before that text or the turn does.
    const bool has_last = segment.ended || (rest.value().ends && rest.value().text_id.empty());
    const auto last = has_last ? lastText(segment) : segment.rows.end();
    for (auto row = segment.rows.begin(); row != segment.rows.end(); ++row) {
      const bool beside =
          row == last || (rest.value().ends && row->json["id"].asString() == rest.value().text_id);
      if (!beside && !isConversation(row->json, "user")) {
        rows.push(row->json);
      }
    }
  }
  const auto& read = turn.value();
  return Json::object()
      .set("rows", std::move(rows))
      .set("olderSeqEnd", read.has_older ? Json(read.events.front().seq - 1) : Json());
}

}  // namespace svc::threads
