#pragma once

#include <algorithm>
#include <iterator>
#include <stop_token>
#include <utility>
#include <vector>

#include "svc/storage/thread_store.h"

#include "thread_limits.h"

namespace svc::threads {

/// What a read answers that has been given up because the server goes down.
[[nodiscard]] inline Status unlessStopped(const std::stop_token& stop) {
  return stop.stop_requested() ? Status(Error{errc::kUnavailable, "the server is stopping"})
                               : Status();
}

/// What the query has, oldest first; with more than its limit the oldest are left out. Read in pieces, so that reads of others get in
/// between. Blocks.
[[nodiscard]] inline Result<std::vector<storage::ThreadEventRow>> newestEvents(
    storage::IThreadStore& store, storage::ThreadEventQuery query,
    const std::stop_token& stop = {}) {
  std::vector<storage::ThreadEventRow> out;
  const auto limit = query.limit;
  query.descending = true;
  for (bool more = limit > 0; more;) {
    if (auto goes_on = unlessStopped(stop); !goes_on) {
      return std::move(goes_on).error();
    }
    query.limit = std::min(limit - out.size(), kPageMax);
    auto piece = store.events(query);
    if (!piece) {
      return piece;
    }
    auto& events = piece.value();
    more = events.size() == query.limit && out.size() + events.size() < limit;
    if (more) {
      query.before_seq = events.back().seq;
    }
    out.insert(out.end(), std::make_move_iterator(events.begin()),
               std::make_move_iterator(events.end()));
  }
  std::reverse(out.begin(), out.end());
  return out;
}

}  // namespace svc::threads
