#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

#include "svc/common/json.h"

#include "live_texts.h"
#include "thread_book.h"
#include "thread_limits.h"

namespace svc::threads {

/// Rows of the contract made of events of the log, in the order they came. Pure: the same events give the same rows.
class TimelineRows {
 public:
  explicit TimelineRows(std::string thread_id) : thread_id_(std::move(thread_id)) {}

  void add(const storage::ThreadEventRow& event);
  /// All of them, or `unavailable` once a stop is requested.
  [[nodiscard]] Status add(const std::vector<storage::ThreadEventRow>& events,
                           const std::stop_token& stop);

  struct Row {
    common::Json json{};
    std::int64_t first_seq = 0;
    std::int64_t last_seq = 0;  ///< of the event that changed it last
    bool open = false;          ///< its item's text grows
  };
  struct Segment {
    std::int64_t anchor_seq = 0;
    std::string anchor_id{};
    std::string turn_id{};
    std::string status = "pending";
    bool ended = false;
    std::int64_t ended_seq = 0;
    std::int64_t ended_at = 0;
    std::vector<Row> rows{};
  };
  /// Rows whose item is open as they are with its text so far, by those they stand for. Valid until something is added.
  using Grown = std::unordered_map<const Row*, Row>;
  [[nodiscard]] Grown grown(const LiveTexts::Texts& live) const;

  /// No event is to come: what nobody told the end of is interrupted, as at the end of a turn.
  void close();

  /// Oldest first. What came before the first request stands in a segment without anchor.
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }

 private:
  Segment& current();
  Row& rowOf(const std::string& id, const storage::ThreadEventRow& event);
  void request(const storage::ThreadEventRow& event, const common::Json& data);
  void accepted(const storage::ThreadEventRow& event, const std::string& request_id,
                const char* status);
  void item(const storage::ThreadEventRow& event, const common::Json& item);
  void fileChange(const storage::ThreadEventRow& event, const common::Json& item);
  void system(const storage::ThreadEventRow& event, const common::Json& data);
  /// Why the turn failed, in words.
  void failure(const storage::ThreadEventRow& event, const common::Json& error);
  void question(const storage::ThreadEventRow& event, const common::Json& data);
  /// What nobody told the end of has none to come.
  static void closeOpen(Segment& segment, std::int64_t seq);
  void endSegment(const storage::ThreadEventRow& event, const std::string& status);

  struct Place {
    std::size_t segment = 0;
    std::size_t row = 0;
  };

  std::string thread_id_;
  std::vector<Segment> segments_;
  /// Of every row, by its id: a turn may have tens of thousands, each told of more than once.
  std::unordered_map<std::string, Place> places_;
};

struct TimelineQuery {
  std::string thread_id{};
  std::size_t segment_limit = 0;
  std::int64_t before_anchor_seq = 0;
  std::optional<std::int64_t> after_sequence{};
  bool include_nested = false;
  bool summary_only = false;
  std::size_t max_events = kTimelineEvents;
  /// Nobody waits for the answer any more: `unavailable`.
  std::stop_token stop{};
};

/// The Timeline of the contract; `live` are the texts of open items, read before. Blocks.
[[nodiscard]] Result<common::Json> readTimeline(const ThreadBook& book, const TimelineQuery& query,
                                                const LiveTexts::Texts& live = {});
/// `{ rows, olderSeqEnd }`: the rows that the row of a turn folds, the newest of `max_events`; older ones are asked for with `olderSeqEnd`
/// as their last, null without any. Between the first and the last may be other turns, when something of this one came late. Blocks.
[[nodiscard]] Result<common::Json> readTurnRows(const ThreadBook& book,
                                                const std::string& thread_id,
                                                std::int64_t first_seq, std::int64_t last_seq,
                                                std::size_t max_events = kTimelineEvents,
                                                const std::stop_token& stop = {});

}  // namespace svc::threads
