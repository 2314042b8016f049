#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "timeline.h"
#include "timeline_events.h"

namespace svc::threads {

/// A page of a timeline as the log has it up to one event. On one thread at a time.
class TimelinePage {
 public:
  /// Reads the page that the query has, of events up to `last_seq`. Blocks.
  [[nodiscard]] static Result<TimelinePage> read(storage::IThreadStore& store,
                                                 const TimelineQuery& query, std::int64_t last_seq);

  /// Brings the newest page up to `last_seq`: it is then what read() gives. False, and the page is good for nothing any more, when that
  /// would begin elsewhere. The query is the one that it was read for. Blocks.
  [[nodiscard]] Result<bool> extend(storage::IThreadStore& store, const TimelineQuery& query,
                                    std::int64_t last_seq);

  /// The Timeline of the contract; `thread` is the row of that thread, `live` are the texts of open items.
  [[nodiscard]] common::Json show(const TimelineQuery& query, const storage::ThreadRow& thread,
                                  const LiveTexts::Texts& live) const;

  [[nodiscard]] std::int64_t lastSeq() const { return last_seq_; }
  /// What it takes in memory, about.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  explicit TimelinePage(const std::string& thread_id) : rows_(thread_id) {}

  [[nodiscard]] Status take(const std::vector<storage::ThreadEventRow>& events,
                            const std::stop_token& stop);
  /// What is true of the thread as a whole, and is not of the page alone.
  void follow(const storage::ThreadEventRow& event);
  [[nodiscard]] bool staysWith(const std::vector<storage::ThreadEventRow>& more,
                               const TimelineQuery& query) const;
  [[nodiscard]] std::size_t anchored() const;
  [[nodiscard]] common::Json place(const TimelineQuery& query) const;

  TimelineRows rows_;
  bool has_older_ = false;
  bool in_turn_ = false;
  bool has_gap_ = false;
  std::int64_t first_seq_ = 0;
  std::string first_id_;
  std::size_t events_ = 0;
  std::size_t bytes_ = 0;
  std::int64_t last_seq_ = 0;
  common::Json goal_;
  common::Json todos_;
  common::Json usage_;
};

}  // namespace svc::threads
