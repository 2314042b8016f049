#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "svc/storage/thread_store.h"

#include "timeline.h"

namespace svc::threads {

/// What a page of a timeline is made of, oldest first.
struct TimelineEvents {
  std::vector<storage::ThreadEventRow> events{};
  bool has_older = false;
  /// One turn that runs has more than a page: it begins in the middle of it, at the first event.
  bool in_turn = false;
  /// Something is left out behind the first one, which is the request of a finished turn.
  bool has_gap = false;
};

/// The newest that the query has, with at most its `max_events`. Of a finished turn that is longer they are its request and its newest.
/// Blocks.
[[nodiscard]] Result<TimelineEvents> timelineEvents(storage::IThreadStore& store,
                                                    const TimelineQuery& query);

/// What comes of a turn after one of its events.
struct RestOfTurn {
  bool ends = false;
  std::string text_id{};  ///< of the last thing the agent says; empty = it says nothing more
};

/// Blocks.
[[nodiscard]] Result<RestOfTurn> restOfTurn(storage::IThreadStore& store,
                                            const std::string& thread_id, std::int64_t after_seq);

}  // namespace svc::threads
