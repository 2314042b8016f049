#include "kept_timelines.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace svc::threads {

using common::Json;

Result<Json> KeptTimelines::read(const TimelineQuery& query, const LiveTexts::Texts& live) {
  if (query.before_anchor_seq != 0) {
    return readTimeline(book_, query, live);
  }
  auto page = take(query);
  const auto thread = book_.thread(query.thread_id);
  if (!thread) {
    return thread.error();
  }
  const auto last_seq = thread.value().last_seq;
  if (page) {
    const auto extended = page->extend(book_.store(), query, last_seq);
    if (!extended) {
      return extended.error();
    }
    if (!extended.value()) {
      page.reset();
    }
  }
  if (!page) {
    auto read = TimelinePage::read(book_.store(), query, last_seq);
    if (!read) {
      return std::move(read).error();
    }
    page.emplace(std::move(read).value());
  }
  auto timeline = page->show(query, thread.value(), live);
  keep(query, *std::move(page));
  return timeline;
}

std::optional<TimelinePage> KeptTimelines::take(const TimelineQuery& query) {
  const std::scoped_lock lock(mutex_);
  const auto found = std::find_if(kept_.begin(), kept_.end(), [&query](const Kept& each) {
    return each.thread_id == query.thread_id && each.segment_limit == query.segment_limit &&
           each.max_events == query.max_events;
  });
  if (found == kept_.end()) {
    return std::nullopt;
  }
  auto page = std::move(found->page);
  kept_.erase(found);
  return page;
}

void KeptTimelines::keep(const TimelineQuery& query, TimelinePage page) {
  if (page.bytes() > bytes_) {
    return;  // it would push out all others for one read
  }
  // What goes is destroyed without the lock.
  std::list<Kept> dropped;
  const std::scoped_lock lock(mutex_);
  kept_.push_front({.thread_id = query.thread_id,
                    .segment_limit = query.segment_limit,
                    .max_events = query.max_events,
                    .page = std::move(page)});
  std::size_t bytes = 0;
  const auto last = std::find_if(kept_.begin(), kept_.end(), [&](const Kept& each) {
    bytes += each.page.bytes();
    return bytes > bytes_;
  });
  dropped.splice(dropped.begin(), kept_, last, kept_.end());
}

void KeptTimelines::tick() {
  std::list<Kept> dropped;
  const std::scoped_lock lock(mutex_);
  for (auto at = kept_.begin(); at != kept_.end();) {
    const auto next = std::next(at);
    if (--at->ticks <= 0) {
      dropped.splice(dropped.end(), kept_, at);
    }
    at = next;
  }
}

}  // namespace svc::threads
