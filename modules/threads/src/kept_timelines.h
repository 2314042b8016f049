#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>

#include "timeline_page.h"

namespace svc::threads {

/// The newest pages of the timelines that somebody follows: what was read of a log is not read again, only what has come since. A log only
/// grows, so a page stays right. Thread-safe; who reads a page has it alone meanwhile.
class KeptTimelines {
 public:
  explicit KeptTimelines(const ThreadBook& book, std::size_t bytes = kKeptTimelines)
      : book_(book), bytes_(bytes) {}

  /// As readTimeline(). Blocks.
  [[nodiscard]] Result<common::Json> read(const TimelineQuery& query,
                                          const LiveTexts::Texts& live = {});
  /// Once a second: a page that nobody has read for kKeptTimelineTicks of them goes.
  void tick();

 private:
  struct Kept {
    std::string thread_id{};
    std::size_t segment_limit = 0;
    std::size_t max_events = 0;
    int ticks = kKeptTimelineTicks;
    TimelinePage page;
  };

  [[nodiscard]] std::optional<TimelinePage> take(const TimelineQuery& query);
  void keep(const TimelineQuery& query, TimelinePage page);

  const ThreadBook& book_;
  const std::size_t bytes_;
  std::mutex mutex_;
  std::list<Kept> kept_;  ///< what was read last comes first
};

}  // namespace svc::threads
