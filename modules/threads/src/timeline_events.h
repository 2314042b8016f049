#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/storage/thread_store.h"

#include "timeline.h"

namespace svc::threads {

/// A turn begins with it; what is sent into a running one does not begin another.
[[nodiscard]] bool beginsTurn(const storage::ThreadEventRow& event);
/// A turn ends with it; agents within one have turns of their own.
[[nodiscard]] bool endsTurn(const storage::ThreadEventRow& event);

/// What a page of a timeline is made of, oldest first.
struct TimelineEvents {
  std::vector<storage::ThreadEventRow> events{};
  bool has_older = false;
  /// One turn that runs has more than a page: it begins in the middle of it, at the first event, which is another one only after every
  /// eighth of a page.
  bool in_turn = false;
  /// Something is left out behind the first one, which is the request of a finished turn.
  bool has_gap = false;
};

/// The newest that the query has, with at most its `max_events`. Of a finished turn that is longer they are its request and its newest.
/// Blocks.
[[nodiscard]] Result<TimelineEvents> timelineEvents(storage::IThreadStore& store,
                                                    const TimelineQuery& query);

/// Of one turn within a range of the log, oldest first.
struct TurnEvents {
  /// The newest of them. What is told of it after its end, as the answer to a form, comes last and does not count.
  std::vector<storage::ThreadEventRow> events{};
  std::int64_t last_seq = 0;  ///< of the range, without what comes after the turn's end
  bool has_older = false;
};

/// Of the turn that is there at `first_seq`. Blocks.
[[nodiscard]] Result<TurnEvents> turnEvents(storage::IThreadStore& store,
                                            const std::string& thread_id, std::int64_t first_seq,
                                            std::int64_t last_seq, std::size_t max_events,
                                            const std::stop_token& stop = {});

/// What comes of a turn after one of its events.
struct RestOfTurn {
  bool ends = false;
  std::string text_id{};  ///< of the last thing the agent says; empty = it says nothing more
};

/// Blocks.
[[nodiscard]] Result<RestOfTurn> restOfTurn(storage::IThreadStore& store,
                                            const std::string& thread_id, std::int64_t after_seq);

}  // namespace svc::threads
