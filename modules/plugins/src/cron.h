#pragma once

#include <bitset>
#include <cstdint>
#include <optional>
#include <string_view>

#include <cctz/time_zone.h>

#include "svc/kernel/result.h"

namespace svc::plugins {

/// A parsed schedule expression: a value, on any thread.
struct CronExpression {
  std::bitset<60> minutes;
  std::bitset<24> hours;
  std::bitset<32> days;      ///< of the month, from 1
  std::bitset<13> months;    ///< from 1
  std::bitset<7> week_days;  ///< 0 is Sunday
  /// When both are restricted, a day that fits either of them matches.
  bool days_restricted = false;
  bool week_days_restricted = false;
  /// Every hour is allowed: the schedule follows the clock on the wall and keeps its interval when that is changed.
  bool every_hour = false;
};

/// Reads `minute hour day-of-month month day-of-week` or one of @hourly, @daily, @midnight, @weekly, @monthly, @yearly,
/// @annually. Fields: `*`, numbers, names (jan…dec, sun…sat), ranges, lists and steps; Sunday is 0 or 7. Fails with
/// `invalid_argument` and a sentence that ends in the position of the error, counted in characters from 1. An expression
/// that no date can match (February 30) is refused.
[[nodiscard]] Result<CronExpression> parseCron(std::string_view text);

/// The first instant after `after_ms` (milliseconds since the epoch) that the schedule names in this zone. A time that
/// the zone skips is moved forward by the length of the gap, one that it repeats counts the first time only; with
/// `every_hour` each minute of the clock counts as it passes. Nothing when there is none within ten years, which
/// happens only at the ends of time.
[[nodiscard]] std::optional<std::int64_t> nextAfter(const CronExpression& cron,
                                                    const cctz::time_zone& zone,
                                                    std::int64_t after_ms);

}  // namespace svc::plugins
