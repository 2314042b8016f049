#include "cron.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "time_zones.h"

namespace svc::plugins {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Civil = cctz::civil_second;

cctz::time_zone zoneOf(const std::string& name) { return findZone(name).value().zone; }

std::int64_t at(const Civil& time, const std::string& zone = "UTC") {
  return std::chrono::milliseconds(zoneOf(zone).lookup(time).pre.time_since_epoch()).count();
}

/// The runs that follow a local time, as local times with the offset from UTC in minutes.
std::vector<std::string> runsAfter(const std::string& expression, const std::string& zone_name,
                                   const Civil& after, int count) {
  const auto zone = zoneOf(zone_name);
  const auto cron = parseCron(expression);
  std::vector<std::string> out;
  auto now = at(after, zone_name);
  for (int run = 0; run < count; ++run) {
    now = nextAfter(cron.value(), zone, now).value();
    const cctz::time_point<cctz::seconds> instant(cctz::seconds(now / 1000));
    out.push_back(cctz::format("%m-%d %H:%M %Ez", instant, zone));
  }
  return out;
}

struct Refusal {
  const char* expression;
  const char* message;
};

class CronRefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(CronRefusalTest, NamesWhatIsWrongAndWhere) {
  const auto parsed = parseCron(GetParam().expression);
  ASSERT_FALSE(parsed.ok()) << GetParam().expression;
  EXPECT_EQ(parsed.error().code, errc::kInvalidArgument);
  EXPECT_EQ(parsed.error().message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Expressions, CronRefusalTest,
    ::testing::Values(
        Refusal{"",
                "the expression has 0 fields, expected 5: minute hour day-of-month month "
                "day-of-week (position 1)"},
        Refusal{"* * * *",
                "the expression has 4 fields, expected 5: minute hour day-of-month month "
                "day-of-week (position 8)"},
        Refusal{"0 * * * * *",
                "the expression has 6 fields, expected 5: minute hour day-of-month "
                "month day-of-week (position 11)"},
        Refusal{"60 * * * *", R"(minute "60" is not a number from 0 to 59 (position 1))"},
        Refusal{"0 24 * * *", R"(hour "24" is not a number from 0 to 23 (position 3))"},
        Refusal{"0 0 0 * *", R"(day of month "0" is not a number from 1 to 31 (position 5))"},
        Refusal{"0 0 1 13 *",
                "month \"13\" is not a number from 1 to 12 or a name "
                "from jan to dec (position 7)"},
        Refusal{"0 0 * * 8",
                "day of week \"8\" is not a number from 0 to 7 or a name "
                "from sun to sat (position 9)"},
        Refusal{"0 0 * * funday",
                "day of week \"funday\" is not a number from 0 to 7 "
                "or a name from sun to sat (position 9)"},
        Refusal{"1,,3 * * * *",
                "the minute is missing a value; expected a number from 0 to 59 (position 3)"},
        Refusal{"1, * * * *",
                "the minute is missing a value; expected a number from 0 to 59 (position 3)"},
        Refusal{"9-5 * * * *",
                R"(the range "9-5" of the minute begins after its end (position 1))"},
        Refusal{"0 0 5-1 * *",
                R"(the range "5-1" of the day of month begins after its end (position 5))"},
        Refusal{"*/0 * * * *",
                R"(step "0" of the minute is not a number from 1 to 60 (position 3))"},
        Refusal{"0 */25 * * *",
                R"(step "25" of the hour is not a number from 1 to 24 (position 5))"},
        Refusal{"*/ * * * *", R"(step "" of the minute is not a number from 1 to 60 (position 3))"},
        Refusal{"-5 * * * *", R"(minute "" is not a number from 0 to 59 (position 1))"},
        Refusal{"5- * * * *", R"(minute "" is not a number from 0 to 59 (position 3))"},
        Refusal{"1.5 * * * *", R"(minute "1.5" is not a number from 0 to 59 (position 1))"},
        Refusal{"99999999999 * * * *",
                R"(minute "99999999999" is not a number from 0 to 59 (position 1))"},
        Refusal{"@reboot",
                "\"@reboot\" is not a known name; expected @hourly, @daily, @midnight, "
                "@weekly, @monthly, @yearly or @annually (position 1)"},
        Refusal{"0 0 30 2 *",
                "no month of \"2\" has a day \"30\", so the schedule would never run (position 5)"},
        Refusal{"0 0 31 feb,apr *",
                "no month of \"feb,apr\" has a day \"31\", so the schedule "
                "would never run (position 5)"}));

TEST(CronTest, ReadsNamesRangesStepsAndLists) {
  const auto cron = parseCron("0,10-14/2,50/5 */6 1-7 Jan,MAR-may mon-Fri").value();
  std::vector<std::size_t> minutes;
  for (std::size_t minute = 0; minute < cron.minutes.size(); ++minute) {
    if (cron.minutes.test(minute)) {
      minutes.push_back(minute);
    }
  }
  EXPECT_THAT(minutes, ElementsAre(0, 10, 12, 14, 50, 55));
  EXPECT_EQ(cron.hours.to_ulong(), 0b1000001000001000001U);
  EXPECT_EQ(cron.days.to_ulong(), 0b11111110U);
  EXPECT_EQ(cron.months.to_ulong(), 0b111010U);
  EXPECT_EQ(cron.week_days.to_ulong(), 0b0111110U);
}

TEST(CronTest, CountsSundayAsZeroAndSeven) {
  for (const char* sunday : {"0", "7", "sun", "SUN"}) {
    const auto cron = parseCron(std::string("0 0 * * ") + sunday).value();
    EXPECT_EQ(cron.week_days.to_ulong(), 1U) << sunday;
  }
  EXPECT_EQ(parseCron("0 0 * * fri-sun").value().week_days.to_ulong(), 0b1100001U);
  EXPECT_EQ(parseCron("0 0 * * 5-7").value().week_days.to_ulong(), 0b1100001U);
  EXPECT_EQ(parseCron("0 0 * * */2").value().week_days.to_ulong(), 0b1010101U);
}

TEST(CronTest, ExpandsTheNamesOfIntervals) {
  struct Named {
    const char* name;
    const char* expression;
  };
  for (const auto& [name, expression] :
       {Named{"@hourly", "0 * * * *"}, Named{"@daily", "0 0 * * *"},
        Named{"@midnight", "0 0 * * *"}, Named{"@weekly", "0 0 * * 0"},
        Named{"@monthly", "0 0 1 * *"}, Named{"@yearly", "0 0 1 1 *"},
        Named{"@annually", "0 0 1 1 *"}, Named{" @Daily ", "0 0 * * *"}}) {
    const Civil start(2026, 3, 17, 11, 5, 0);
    EXPECT_EQ(runsAfter(name, "UTC", start, 3), runsAfter(expression, "UTC", start, 3)) << name;
  }
}

TEST(CronTest, RunsStrictlyAfterTheGivenTime) {
  const auto cron = parseCron("5 * * * *").value();
  const auto utc = zoneOf("UTC");
  const auto due = at(Civil(2026, 1, 1, 10, 5, 0));
  EXPECT_EQ(nextAfter(cron, utc, due - 1), due);
  EXPECT_EQ(nextAfter(cron, utc, due), due + 3'600'000);
  EXPECT_EQ(nextAfter(cron, utc, due + 1), due + 3'600'000);
  EXPECT_EQ(nextAfter(cron, utc, due + 59'999), due + 3'600'000);
}

TEST(CronTest, TakesADayThatFitsEitherFieldWhenBothAreRestricted) {
  EXPECT_THAT(runsAfter("0 0 13 * 5", "UTC", Civil(2026, 11, 1, 0, 0, 0), 4),
              ElementsAre("11-06 00:00 +00:00", "11-13 00:00 +00:00", "11-20 00:00 +00:00",
                          "11-27 00:00 +00:00"));
  EXPECT_THAT(runsAfter("0 0 13 * 5", "UTC", Civil(2026, 12, 11, 12, 0, 0), 2),
              ElementsAre("12-13 00:00 +00:00", "12-18 00:00 +00:00"));
  EXPECT_THAT(runsAfter("0 0 * * 5", "UTC", Civil(2026, 12, 11, 12, 0, 0), 2),
              ElementsAre("12-18 00:00 +00:00", "12-25 00:00 +00:00"));
}

TEST(CronTest, FindsALeapDayEightYearsAway) {
  const auto cron = parseCron("0 0 29 2 *").value();
  EXPECT_EQ(nextAfter(cron, zoneOf("UTC"), at(Civil(2096, 2, 29, 0, 0, 0))),
            at(Civil(2104, 2, 29, 0, 0, 0)));
}

TEST(CronTest, AllowsAnImpossibleDateNextToADayOfTheWeek) {
  EXPECT_THAT(runsAfter("0 0 30 2 1", "UTC", Civil(2026, 1, 1, 0, 0, 0), 2),
              ElementsAre("02-02 00:00 +00:00", "02-09 00:00 +00:00"));
}

TEST(CronTest, MovesASkippedFixedTimeForward) {
  EXPECT_THAT(runsAfter("30 2 * * *", "Europe/Berlin", Civil(2026, 3, 28, 12, 0, 0), 2),
              ElementsAre("03-29 03:30 +02:00", "03-30 02:30 +02:00"));
  EXPECT_THAT(runsAfter("*/30 2 * * *", "Europe/Berlin", Civil(2026, 3, 28, 12, 0, 0), 3),
              ElementsAre("03-29 03:00 +02:00", "03-29 03:30 +02:00", "03-30 02:00 +02:00"));
}

TEST(CronTest, RunsOnceWhenASkippedTimeMeetsAnother) {
  EXPECT_THAT(runsAfter("0 2,3 * * *", "Europe/Berlin", Civil(2026, 3, 28, 12, 0, 0), 2),
              ElementsAre("03-29 03:00 +02:00", "03-30 02:00 +02:00"));
  EXPECT_THAT(runsAfter("0,45 2,3 * * *", "Europe/Berlin", Civil(2026, 3, 29, 0, 0, 0), 3),
              ElementsAre("03-29 03:00 +02:00", "03-29 03:45 +02:00", "03-30 02:00 +02:00"));
}

TEST(CronTest, RunsARepeatedFixedTimeTheFirstTimeOnly) {
  EXPECT_THAT(runsAfter("30 2 * * *", "Europe/Berlin", Civil(2026, 10, 24, 12, 0, 0), 2),
              ElementsAre("10-25 02:30 +02:00", "10-26 02:30 +01:00"));
}

TEST(CronTest, KeepsTheIntervalOfAScheduleOfEveryHour) {
  EXPECT_THAT(runsAfter("30 * * * *", "Europe/Berlin", Civil(2026, 3, 29, 0, 45, 0), 3),
              ElementsAre("03-29 01:30 +01:00", "03-29 03:30 +02:00", "03-29 04:30 +02:00"));
  EXPECT_THAT(runsAfter("30 * * * *", "Europe/Berlin", Civil(2026, 10, 25, 1, 0, 0), 4),
              ElementsAre("10-25 01:30 +02:00", "10-25 02:30 +02:00", "10-25 02:30 +01:00",
                          "10-25 03:30 +01:00"));
}

TEST(CronTest, FollowsAZoneThatSkippedAWholeDay) {
  // Samoa went from the 29th to the 31st of December 2011.
  EXPECT_THAT(runsAfter("0 12 * * *", "Pacific/Apia", Civil(2011, 12, 29, 0, 0, 0), 3),
              ElementsAre("12-29 12:00 -10:00", "12-31 12:00 +14:00", "01-01 12:00 +14:00"));
}

TEST(CronTest, FollowsAChangeJustAfterMidnight) {
  // St. John's went back from 00:01 of the 7th to 23:01 of the 6th of November 2010.
  EXPECT_THAT(runsAfter("59 * 6 * *", "America/St_Johns", Civil(2010, 11, 6, 22, 30, 0), 4),
              ElementsAre("11-06 22:59 -02:30", "11-06 23:59 -02:30", "11-06 23:59 -03:30",
                          "12-06 00:59 -03:30"));
}

TEST(CronTest, AnswersBeforeTheEpoch) {
  EXPECT_EQ(nextAfter(parseCron("0 0 * * *").value(), zoneOf("UTC"), -1), 0);
  EXPECT_EQ(nextAfter(parseCron("0 * * * *").value(), zoneOf("UTC"), -1), 0);
}

TEST(TimeZonesTest, FindsZonesByTheirName) {
  EXPECT_EQ(findZone("Europe/Berlin").value().name, "Europe/Berlin");
  EXPECT_EQ(findZone("UTC").value().name, "UTC");
  EXPECT_FALSE(findZone("").value().name.empty());
}

TEST(TimeZonesTest, RefusesWhatIsNoZone) {
  for (const char* name : {"Mars/Olympus", "../../../etc/passwd", "/etc/localtime", "localtime",
                           "Fixed/UTC+05:00:00", "right/UTC", "Europe/", "file:UTC", " UTC"}) {
    const auto zone = findZone(name);
    ASSERT_FALSE(zone.ok()) << name;
    EXPECT_THAT(zone.error().message, HasSubstr(name));
    EXPECT_THAT(zone.error().message, HasSubstr("Europe/Berlin"));
  }
}

}  // namespace
}  // namespace svc::plugins
