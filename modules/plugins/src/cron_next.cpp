#include <algorithm>
#include <chrono>

#include "cron.h"

// Two ways to the next run, because of clock changes. A schedule with a fixed hour names times of the calendar: they
// are enumerated and each is turned into one instant. A schedule of every hour is a rule about the clock on the wall:
// the instants are enumerated and each is asked what the clock shows.

namespace svc::plugins {
namespace {

using cctz::civil_day;
using cctz::civil_hour;
using cctz::civil_minute;
using cctz::civil_month;
using cctz::civil_second;
using Instant = cctz::time_point<cctz::seconds>;
using Lookup = cctz::time_zone::civil_lookup;

/// A leap day can be eight years away (1896, 1904); everything else is closer.
constexpr int kHorizonYears = 10;
/// No zone has ever skipped more than a day.
constexpr int kLongestGapHours = 24;

Instant instantOf(std::int64_t ms) {
  using std::chrono::floor;
  return Instant(floor<cctz::seconds>(std::chrono::milliseconds(ms)));
}

std::int64_t millisecondsOf(const Instant& instant) {
  return std::chrono::milliseconds(instant.time_since_epoch()).count();
}

bool monthMatches(const CronExpression& cron, const civil_day& day) {
  return cron.months.test(static_cast<std::size_t>(day.month()));
}

bool dayMatches(const CronExpression& cron, const civil_day& day) {
  if (!monthMatches(cron, day)) {
    return false;
  }
  const bool by_date = cron.days.test(static_cast<std::size_t>(day.day()));
  // cctz counts from Monday.
  const auto week_day = (static_cast<std::size_t>(cctz::get_weekday(day)) + 1) % 7;
  const bool by_week_day = cron.week_days.test(week_day);
  if (cron.days_restricted && cron.week_days_restricted) {
    return by_date || by_week_day;
  }
  return by_date && by_week_day;
}

/// The day after, or the first of the next month when this one does not match.
civil_day dayAfter(const CronExpression& cron, const civil_day& day) {
  return monthMatches(cron, day) ? day + 1 : civil_day(civil_month(day) + 1);
}

/// Looks for the earliest instant of the times of the calendar, given in their order.
class FixedSearch {
 public:
  FixedSearch(const cctz::time_zone& zone, const Instant& after) : zone_(zone), after_(after) {}

  /// False when nothing that follows can be earlier than what was found.
  bool offer(const civil_minute& time) {
    const auto found = zone_.lookup(civil_second(time));
    // `pre` is the first of two, and for a skipped time the one moved by the length of the gap.
    if (found.pre > after_ && (!best_ || found.pre < *best_)) {
      best_ = found.pre;
    }
    // A skipped time lands among those that follow the gap, one of which may be earlier.
    return found.pre <= after_ || found.kind == Lookup::SKIPPED;
  }
  [[nodiscard]] const std::optional<Instant>& best() const { return best_; }

 private:
  const cctz::time_zone& zone_;
  Instant after_;
  std::optional<Instant> best_;
};

/// Offers the times of one day from `earliest` on; false when the search is over.
bool offerDay(const CronExpression& cron, const civil_day& day, const civil_hour& earliest,
              FixedSearch& search) {
  for (int hour = 0; hour < 24; ++hour) {
    const auto start = civil_hour(day) + hour;
    if (!cron.hours.test(static_cast<std::size_t>(hour)) || start < earliest) {
      continue;
    }
    for (int minute = 0; minute < 60; ++minute) {
      if (cron.minutes.test(static_cast<std::size_t>(minute)) &&
          !search.offer(civil_minute(start) + minute)) {
        return false;
      }
    }
  }
  return true;
}

std::optional<Instant> nextFixed(const CronExpression& cron, const cctz::time_zone& zone,
                                 const Instant& after) {
  const auto now = zone.lookup(after).cs;
  const auto earliest = civil_hour(now) - kLongestGapHours;
  const civil_day horizon(now.year() + kHorizonYears, 1, 1);
  FixedSearch search(zone, after);
  for (civil_day day(earliest); day < horizon; day = dayAfter(cron, day)) {
    if (dayMatches(cron, day) && !offerDay(cron, day, earliest, search)) {
      break;
    }
  }
  return search.best();
}

/// When the clock next shows this time or a later one.
Instant firstShowing(const cctz::time_zone& zone, const civil_second& time) {
  const auto found = zone.lookup(time);
  return found.kind == Lookup::SKIPPED ? found.trans : found.pre;
}

/// When the clock is next changed by hand, so to speak; far away when never.
Instant nextChange(const cctz::time_zone& zone, const Instant& after) {
  cctz::time_zone::civil_transition change;
  if (!zone.next_transition(after, &change)) {
    return Instant::max();
  }
  const auto found = zone.lookup(change.to);
  return found.kind == Lookup::REPEATED ? found.trans : found.pre;
}

std::optional<Instant> nextShown(const CronExpression& cron, const cctz::time_zone& zone,
                                 const Instant& after) {
  const auto start = zone.lookup(after).cs;
  const civil_day horizon(start.year() + kHorizonYears, 1, 1);
  // The next full minute of the clock; offsets of less than a minute are history.
  auto instant = after + cctz::seconds(60 - start.second());
  for (;;) {
    const auto shown = zone.lookup(instant).cs;
    const civil_day day(shown);
    if (day >= horizon) {
      return std::nullopt;
    }
    if (!dayMatches(cron, day)) {
      const auto midnight = firstShowing(zone, civil_second(dayAfter(cron, day)));
      // A change on the way may put the clock back into a day that matches.
      instant =
          std::max(instant + cctz::seconds(60), std::min(midnight, nextChange(zone, instant)));
    } else if (cron.minutes.test(static_cast<std::size_t>(shown.minute()))) {
      return instant;
    } else {
      instant += cctz::seconds(60);
    }
  }
}

}  // namespace

std::optional<std::int64_t> nextAfter(const CronExpression& cron, const cctz::time_zone& zone,
                                      std::int64_t after_ms) {
  const auto after = instantOf(after_ms);
  const auto found = cron.every_hour ? nextShown(cron, zone, after) : nextFixed(cron, zone, after);
  return found ? std::optional(millisecondsOf(*found)) : std::nullopt;
}

}  // namespace svc::plugins
