#include "timeline_events.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "newest_events.h"
#include "thread_limits.h"
#include "thread_record.h"

namespace svc::threads {

using storage::IThreadStore;
using storage::ThreadEventRow;

namespace {

/// Leaves out the oldest of a page in the middle of a turn, so that it begins at the same event while an eighth more comes.
void roundUp(std::vector<ThreadEventRow>& events, std::size_t max_events) {
  const auto step = static_cast<std::int64_t>(std::max<std::size_t>(max_events / 8, 1));
  const auto begin = (events.front().seq + step - 1) / step * step;
  events.erase(events.begin(),
               std::find_if(events.begin(), events.end(),
                            [begin](const auto& event) { return event.seq >= begin; }));
}

/// Where the page begins: the seq of its first request; 1 with what came before any. And whether there is more before it.
struct PageBegin {
  std::int64_t seq = 1;
  bool has_older = false;
};

Result<PageBegin> findBegin(IThreadStore& store, const TimelineQuery& query) {
  std::size_t found = 0;
  PageBegin begin;
  std::int64_t before = query.before_anchor_seq;
  for (;;) {
    const auto requests = store.events({.thread_id = query.thread_id,
                                        .before_seq = before,
                                        .descending = true,
                                        .types = {"client/turn/requested"},
                                        .limit = kPageMax});
    if (!requests) {
      return requests.error();
    }
    for (const auto& row : requests.value()) {
      before = row.seq;
      if (!beginsTurn(row)) {
        continue;
      }
      if (found++ == query.segment_limit) {
        begin.has_older = true;
        return begin;
      }
      begin.seq = row.seq;
    }
    if (requests.value().size() < kPageMax) {
      begin.seq = 1;
      return begin;
    }
  }
}

/// The request of the turn that runs at an event; nothing when there is none.
Result<std::vector<ThreadEventRow>> requestBefore(IThreadStore& store, const std::string& thread_id,
                                                  std::int64_t seq) {
  for (;;) {
    auto requests = store.events({.thread_id = thread_id,
                                  .before_seq = seq,
                                  .descending = true,
                                  .types = {"client/turn/requested"},
                                  .limit = kPage});
    if (!requests) {
      return std::move(requests).error();
    }
    const auto& all = requests.value();
    const auto found = std::find_if(all.begin(), all.end(), beginsTurn);
    if (found != all.end()) {
      return std::vector{*found};
    }
    if (all.size() < kPage) {
      return std::vector<ThreadEventRow>();
    }
    seq = all.back().seq;
  }
}

/// The event that ends the turn which is there at an event; nothing while it runs.
Result<std::optional<ThreadEventRow>> endOfTurn(IThreadStore& store, const std::string& thread_id,
                                                std::int64_t seq) {
  for (auto after = seq - 1;;) {
    const auto events = store.events({.thread_id = thread_id,
                                      .after_seq = after,
                                      .types = {"turn/completed", "client/turn/rejected"},
                                      .limit = kPage});
    if (!events) {
      return events.error();
    }
    const auto& all = events.value();
    if (const auto end = std::find_if(all.begin(), all.end(), endsTurn); end != all.end()) {
      return std::optional(*end);
    }
    if (all.size() < kPage) {
      return std::optional<ThreadEventRow>();
    }
    after = all.back().seq;
  }
}

/// Adds what is told of a turn after its end.
Status addLate(IThreadStore& store, const ThreadEventRow& end, std::int64_t last_seq,
               std::vector<ThreadEventRow>& out) {
  for (auto after = end.seq; !end.turn_id.empty() && after < last_seq;) {
    const auto events = store.events({.thread_id = end.thread_id,
                                      .after_seq = after,
                                      .before_seq = last_seq + 1,
                                      .limit = kPageMax});
    if (!events) {
      return events.error();
    }
    std::copy_if(events.value().begin(), events.value().end(), std::back_inserter(out),
                 [&end](const auto& event) { return event.turn_id == end.turn_id; });
    after = events.value().size() < kPageMax ? last_seq : events.value().back().seq;
  }
  return {};
}

}  // namespace

bool beginsTurn(const ThreadEventRow& event) {
  return event.type == "client/turn/requested" &&
         parsed(event.data)["target"]["kind"].asString() != "steer";
}

bool endsTurn(const ThreadEventRow& event) {
  return (event.type == "turn/completed" || event.type == "client/turn/rejected") &&
         parsed(event.data)["parentToolCallId"].isNull();
}

Result<TimelineEvents> timelineEvents(IThreadStore& store, const TimelineQuery& query) {
  const auto begin = findBegin(store, query);
  if (!begin) {
    return begin.error();
  }
  auto read = newestEvents(store,
                           {.thread_id = query.thread_id,
                            .after_seq = begin.value().seq - 1,
                            .before_seq = query.before_anchor_seq,
                            .limit = query.max_events},
                           query.stop);
  if (!read) {
    return std::move(read).error();
  }
  TimelineEvents page{.events = std::move(read).value(), .has_older = begin.value().has_older};
  auto& events = page.events;
  if (events.size() < query.max_events || events.front().seq <= begin.value().seq) {
    return page;
  }
  page.has_older = true;
  const auto first = std::find_if(events.begin(), events.end(), beginsTurn);
  if (first != events.end()) {
    events.erase(events.begin(), first);
    return page;
  }
  page.in_turn = std::none_of(events.begin(), events.end(), endsTurn);
  if (page.in_turn) {
    roundUp(events, query.max_events);
  } else {
    // It is folded under its request, and whoever opens it reads the rest of it.
    auto request = requestBefore(store, query.thread_id, events.front().seq);
    if (!request) {
      return std::move(request).error();
    }
    page.has_gap = true;
    events.insert(events.begin(), request.value().begin(), request.value().end());
  }
  return page;
}

Result<TurnEvents> turnEvents(IThreadStore& store, const std::string& thread_id,
                              std::int64_t first_seq, std::int64_t last_seq, std::size_t max_events,
                              const std::stop_token& stop) {
  const auto end = endOfTurn(store, thread_id, first_seq);
  if (!end) {
    return end.error();
  }
  TurnEvents turn{.last_seq = end.value() ? std::min(last_seq, end.value()->seq) : last_seq};
  auto read = newestEvents(store,
                           {.thread_id = thread_id,
                            .after_seq = first_seq - 1,
                            .before_seq = turn.last_seq + 1,
                            .limit = max_events},
                           stop);
  if (!read) {
    return std::move(read).error();
  }
  turn.events = std::move(read).value();
  turn.has_older = !turn.events.empty() && turn.events.size() == max_events &&
                   turn.events.front().seq > first_seq;
  if (turn.last_seq < last_seq) {
    if (auto added = addLate(store, *end.value(), last_seq, turn.events); !added) {
      return std::move(added).error();
    }
  }
  return turn;
}

Result<RestOfTurn> restOfTurn(IThreadStore& store, const std::string& thread_id,
                              std::int64_t after_seq) {
  RestOfTurn rest;
  for (;;) {
    const auto events = store.events({.thread_id = thread_id,
                                      .after_seq = after_seq,
                                      .types = {"item/started", "item/completed", "turn/completed",
                                                "client/turn/requested", "client/turn/rejected"},
                                      .limit = kPageMax});
    if (!events) {
      return events.error();
    }
    for (const auto& event : events.value()) {
      after_seq = event.seq;
      const auto data = parsed(event.data);
      if (data["item"]["type"].asString() == "agentMessage") {
        rest.text_id = data["item"]["id"].asString();
      }
      rest.ends = endsTurn(event);
      if (rest.ends || beginsTurn(event)) {
        return rest;
      }
    }
    if (events.value().size() < kPageMax) {
      return rest;
    }
  }
}

}  // namespace svc::threads
