#include "timeline.h"

#include <utility>

#include "shown_rows.h"
#include "timeline_events.h"
#include "timeline_page.h"

namespace svc::threads {

using common::Json;

Result<Json> readTimeline(const ThreadBook& book, const TimelineQuery& query,
                          const LiveTexts::Texts& live) {
  const auto thread = book.thread(query.thread_id);
  if (!thread) {
    return thread.error();
  }
  const auto page = TimelinePage::read(book.store(), query, thread.value().last_seq);
  if (!page) {
    return page.error();
  }
  return page.value().show(query, thread.value(), live);
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
