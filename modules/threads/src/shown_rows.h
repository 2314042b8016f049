#pragma once

#include <deque>
#include <string>
#include <vector>

#include "svc/common/json.h"

#include "timeline.h"

namespace svc::threads {

[[nodiscard]] bool isConversation(const common::Json& row, const char* role);

/// What the agent said last; the end of the rows when it said nothing.
[[nodiscard]] std::vector<TimelineRows::Row>::const_iterator lastText(
    const TimelineRows::Segment& segment);

/// The rows of a page in the order in which they are shown, those of finished turns folded. Refers to what it is made of.
class ShownRows {
 public:
  using Row = TimelineRows::Row;

  /// With `has_gap` something is left out behind the request of a finished turn.
  ShownRows(const TimelineRows& rows, const TimelineRows::Grown& grown, const TimelineQuery& query,
            bool has_gap);
  ShownRows(const ShownRows&) = delete;
  ShownRows& operator=(const ShownRows&) = delete;

  [[nodiscard]] const std::vector<const Row*>& all() const { return shown_; }

 private:
  [[nodiscard]] const Row* shown(const Row& row) const;
  void fold(const TimelineRows::Segment& segment);
  [[nodiscard]] Row turnRow(const TimelineRows::Segment& segment,
                            const std::vector<const Row*>& inside, std::int64_t text_seq) const;

  const TimelineRows::Grown& grown_;
  const TimelineQuery& query_;
  const bool has_gap_;
  std::deque<Row> made_;
  std::vector<const Row*> shown_;
};

}  // namespace svc::threads
