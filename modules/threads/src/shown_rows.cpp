#include "shown_rows.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "thread_record.h"

namespace svc::threads {

using common::Json;

namespace {

using RowRefs = std::vector<const TimelineRows::Row*>;

/// Says how a turn has ended.
bool isEnd(const Json& row) {
  return row["kind"].asString() == "system" &&
         (row["systemKind"].asString() == "error" ||
          row["operationKind"].asString() == "thread-interrupted");
}

/// How many rows of a turn are its steps: those after its last text that say why it did not end well are none.
std::size_t stepsOf(const TimelineRows::Segment& segment, const RowRefs& inside,
                    std::int64_t text_seq) {
  auto steps = inside.size();
  while (segment.status != "completed" && steps > 0 && isEnd(inside[steps - 1]->json) &&
         inside[steps - 1]->first_seq > text_seq) {
    --steps;
  }
  return steps;
}

}  // namespace

bool isConversation(const Json& row, const char* role) {
  return row["kind"].asString() == "conversation" && row["role"].asString() == role;
}

std::vector<TimelineRows::Row>::const_iterator lastText(const TimelineRows::Segment& segment) {
  const auto found = std::find_if(segment.rows.rbegin(), segment.rows.rend(), [](const auto& row) {
    return isConversation(row.json, "assistant");
  });
  return found == segment.rows.rend() ? segment.rows.end() : std::prev(found.base());
}

ShownRows::ShownRows(const TimelineRows& rows, const TimelineRows::Grown& grown,
                     const TimelineQuery& query, bool has_gap)
    : grown_(grown), query_(query), has_gap_(has_gap) {
  for (const auto& segment : rows.segments()) {
    if (segment.ended) {
      fold(segment);
      continue;
    }
    for (const auto& row : segment.rows) {
      shown_.push_back(shown(row));
    }
  }
  if (query.summary_only) {
    std::erase_if(shown_, [](const Row* row) {
      const auto& kind = row->json["kind"].asString();
      return kind != "conversation" && kind != "turn";
    });
  }
}

const ShownRows::Row* ShownRows::shown(const Row& row) const {
  const auto with_text = grown_.find(&row);
  return with_text == grown_.end() ? &row : &with_text->second;
}

/// What the user said, one row that folds the rest, the last thing the agent said.
void ShownRows::fold(const TimelineRows::Segment& segment) {
  RowRefs inside;
  const auto last = lastText(segment);
  for (auto row = segment.rows.begin(); row != segment.rows.end(); ++row) {
    if (row != last) {
      (isConversation(row->json, "user") ? shown_ : inside).push_back(shown(*row));
    }
  }
  std::stable_sort(inside.begin(), inside.end(), [](const Row* left, const Row* right) {
    return left->first_seq < right->first_seq;
  });
  if (!inside.empty()) {
    const auto text_seq = last == segment.rows.end() ? 0 : last->first_seq;
    shown_.push_back(&made_.emplace_back(turnRow(segment, inside, text_seq)));
  }
  if (last != segment.rows.end()) {
    shown_.push_back(shown(*last));
  }
}

ShownRows::Row ShownRows::turnRow(const TimelineRows::Segment& segment, const RowRefs& inside,
                                  std::int64_t text_seq) const {
  auto children = Json::array();
  // It is new when the turn has ended, though nothing in it is.
  Row turn{.first_seq = has_gap_ ? segment.anchor_seq + 1 : inside.front()->first_seq,
           .last_seq = segment.ended_seq};
  std::int64_t last_seq = 0;
  for (const auto* row : inside) {
    last_seq = std::max(last_seq, row->json["sourceSeqEnd"].asInteger());
    turn.last_seq = std::max(turn.last_seq, row->last_seq);
    if (query_.include_nested) {
      children.push(row->json);
    }
  }
  turn.json = Json::object()
                  .set("id", "turn:" + segment.anchor_id)
                  .set("threadId", query_.thread_id)
                  .set("turnId", textOrNull(segment.turn_id))
                  .set("sourceSeqStart", turn.first_seq)
                  .set("sourceSeqEnd", last_seq)
                  .set("startedAt", inside.front()->json["startedAt"])
                  .set("createdAt", inside.front()->json["createdAt"])
                  .set("kind", "turn")
                  .set("status", segment.status)
                  .set("summaryCount", inside.size())
                  .set("stepCount", stepsOf(segment, inside, text_seq))
                  .set("completedAt", timeOrNull(segment.ended_at))
                  .set("children", query_.include_nested ? std::move(children) : Json());
  return turn;
}

}  // namespace svc::threads
