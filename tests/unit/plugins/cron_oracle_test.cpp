// The runs of a whole year against an evaluation that knows no schedule library: every minute of the year is converted
// by the C library, and what the rule of D27 says is applied to what its clock showed.
#include <array>
#include <cstdlib>
#include <ctime>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cron.h"
#include "time_zones.h"

namespace svc::plugins {
namespace {

constexpr std::int64_t kMinuteMs = 60'000;

constexpr std::array kZones{"UTC",
                            "Europe/Berlin",
                            "America/New_York",
                            "Australia/Lord_Howe",  // changes by half an hour
                            "Asia/Kathmandu",       // 5:45 from UTC
                            "Africa/Casablanca",    // several changes a year
                            "America/Havana"};      // changes at midnight
constexpr std::array kYears{2020, 2023, 2026, 2029, 2032, 2035, 2038, 2040};

constexpr std::array kExpressions{
    "*/5 * * * *",    "0 * * * *",     "17,43 * * * 0",  "30 2 * * *",      "0 2,3 * * *",
    "*/20 1-3 * * *", "0 0 * * *",     "59 23 * * *",    "0 */2 * * *",     "45 1 * * sun",
    "15 2 29 2 *",    "0 0 31 * *",    "30 0 1-7 * mon", "10 3 */2 3,10 *", "5 2 * 3-4,9-11 0",
    "0 12 13 * fri",  "0 * 31 3,10 *", "*/7 2 * * *",    "30 1 1 jan *",    "0 0-23 * * 6,7"};

/// What the clock on the wall shows during one minute.
struct Shown {
  std::int64_t wall = 0;  ///< minutes, counted as if the wall were UTC
  std::tm time{};
};

class Wall {
 public:
  Wall(const char* zone, int year) {
    // NOLINTBEGIN(concurrency-mt-unsafe): the test has one thread
    ::setenv("TZ", zone, 1);
    ::tzset();
    std::tm first{};
    first.tm_year = year - 1900;
    first.tm_mday = 1;
    start_ = ::timegm(&first) / 60;
    for (auto minute = start_ - kMargin; minute < start_ + kLength; ++minute) {
      const std::time_t now = minute * 60;
      Shown shown;
      ::localtime_r(&now, &shown.time);
      auto copy = shown.time;
      shown.wall = ::timegm(&copy) / 60;
      minutes_.push_back(shown);
    }
    ::unsetenv("TZ");
    ::tzset();
    // NOLINTEND(concurrency-mt-unsafe)
  }

  [[nodiscard]] std::int64_t first() const { return start_ - kMargin; }
  [[nodiscard]] const std::vector<Shown>& minutes() const { return minutes_; }

 private:
  static constexpr std::int64_t kMargin = 2L * 24 * 60;
  static constexpr std::int64_t kLength = 366L * 24 * 60;

  std::int64_t start_ = 0;
  std::vector<Shown> minutes_;
};

/// The plain reading of a parsed expression, minute by minute.
bool names(const CronExpression& cron, const std::tm& time) {
  const auto index = [](int value) { return static_cast<std::size_t>(value); };
  if (!cron.minutes.test(index(time.tm_min)) || !cron.hours.test(index(time.tm_hour)) ||
      !cron.months.test(index(time.tm_mon + 1))) {
    return false;
  }
  const bool date = cron.days.test(index(time.tm_mday));
  const bool week_day = cron.week_days.test(index(time.tm_wday));
  const bool either = cron.days_restricted && cron.week_days_restricted;
  return either ? date || week_day : date && week_day;
}

std::tm timeOf(std::int64_t wall) {
  const std::time_t seconds = wall * 60;
  std::tm out{};
  ::gmtime_r(&seconds, &out);
  return out;
}

std::set<std::int64_t> expectedRuns(const CronExpression& cron, const Wall& wall) {
  std::set<std::int64_t> runs;
  const auto& minutes = wall.minutes();
  auto latest = minutes.front().wall - 1;
  for (std::size_t index = 0; index < minutes.size(); ++index) {
    const auto now = wall.first() + static_cast<std::int64_t>(index);
    const auto& shown = minutes[index];
    if (cron.every_hour) {
      if (names(cron, shown.time)) {
        runs.insert(now);
      }
      continue;
    }
    // What was skipped runs when the clock would have shown it, had nobody changed it.
    for (auto skipped = latest + 1; skipped < shown.wall; ++skipped) {
      if (names(cron, timeOf(skipped))) {
        runs.insert(now + (skipped - latest - 1));
      }
    }
    if (shown.wall > latest) {
      if (names(cron, shown.time)) {
        runs.insert(now);
      }
      latest = shown.wall;
    }
  }
  return runs;
}

using Sample = std::tuple<const char*, int>;

class CronOracleTest : public ::testing::TestWithParam<Sample> {};

TEST_P(CronOracleTest, AgreesWithEveryMinuteOfTheYear) {
  const auto& [zone_name, year] = GetParam();
  const Wall wall(zone_name, year);
  const auto zone = findZone(zone_name).value().zone;
  // Two days at the start give the search a past, one at the end keeps shifted times inside.
  const auto from = wall.first() + 24 * 60;
  const auto until = wall.first() + static_cast<std::int64_t>(wall.minutes().size()) - 24 * 60;
  for (const char* expression : kExpressions) {
    const auto cron = parseCron(expression).value();
    auto now = from * kMinuteMs;
    const auto expected = expectedRuns(cron, wall);
    for (auto run = expected.upper_bound(from); run != expected.end() && *run < until; ++run) {
      const auto next = nextAfter(cron, zone, now);
      ASSERT_EQ(next.value_or(0), *run * kMinuteMs)
          << expression << " in " << zone_name << " after " << now;
      now = *next;
    }
    EXPECT_GE(nextAfter(cron, zone, now).value_or(0), until * kMinuteMs) << expression;
  }
}

INSTANTIATE_TEST_SUITE_P(Years, CronOracleTest,
                         ::testing::Combine(::testing::ValuesIn(kZones),
                                            ::testing::ValuesIn(kYears)));

}  // namespace
}  // namespace svc::plugins
