#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "svc/storage/thread_store.h"

namespace svc::threads {

/// What the query has, oldest first; with more than its limit the oldest are left out. Blocks.
[[nodiscard]] inline Result<std::vector<storage::ThreadEventRow>> newestEvents(
    storage::IThreadStore& store, storage::ThreadEventQuery query) {
  query.descending = true;
  auto events = store.events(query);
  if (events) {
    std::reverse(events.value().begin(), events.value().end());
  }
  return events;
}

}  // namespace svc::threads
