// Schedules of a real server: their rows outlive it, and their runs are theirs alone.
#include <ctime>
#include <thread>

#include <gmock/gmock.h>

#include "harness/server.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::HasSubstr;

Json scheduleIn(const Json& record, const std::string& name) {
  for (const auto& each : record["schedules"].items()) {
    if (each["name"].asString() == name) {
      return each;
    }
  }
  ADD_FAILURE() << "no schedule " << name << " in " << record.dump();
  return {};
}

class SchedulesTest : public ServerTest {
 protected:
  void SetUp() override {
    const auto record = server.install(fixture("timetable"));
    ASSERT_EQ(record["status"].asString(), "running") << record.dump();
  }
  Json schedule(const std::string& name) { return scheduleIn(server.record("timetable"), name); }
  Answer run(const std::string& name) {
    return server.http().send(
        {.method = "POST", .target = "/api/v1/plugins/timetable/schedules/" + name + "/run"});
  }
  Json runs() { return server.rpc("timetable", "runs").json["result"]; }
  static std::int64_t nowMs() { return static_cast<std::int64_t>(std::time(nullptr)) * 1000; }
};

TEST_P(SchedulesTest, AreInTheRecordWithTheirNextRun) {
  const auto record = server.record("timetable");
  ASSERT_EQ(record["schedules"].items().size(), 3U);
  const auto yearly = scheduleIn(record, "yearly");
  EXPECT_EQ(yearly["cron"].asString(), "@yearly");
  EXPECT_FALSE(yearly["timezone"].asString().empty());
  EXPECT_GT(yearly["nextRunAt"].asInteger(), nowMs());
  for (const char* key : {"lastRunAt", "lastStatus", "lastError"}) {
    EXPECT_TRUE(yearly[key].isNull()) << key;
  }
  EXPECT_FALSE(yearly["lastRunMissed"].asBool());
}

TEST_P(SchedulesTest, RunOnDemand) {
  const auto before = nowMs();
  const auto answer = run("yearly");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["schedule"]["lastStatus"].asString(), "ok");
  EXPECT_GE(answer.json["schedule"]["lastRunAt"].asInteger(), before);
  EXPECT_EQ(schedule("yearly").dump(), answer.json["schedule"].dump());
  ASSERT_EQ(runs().items().size(), 1U);
  EXPECT_FALSE(runs().items()[0]["missed"].asBool());
  EXPECT_GE(runs().items()[0]["scheduledAt"].asInteger(), before);
  EXPECT_THAT(server.cli({"plugin", "list"}).out, HasSubstr("schedule yearly (@yearly): next "));
  EXPECT_THAT(server.cli({"plugin", "list"}).out, HasSubstr(", last: ok\n"));
}

TEST_P(SchedulesTest, RecordAFailureAndLeaveTheStatusAlone) {
  const auto answer = run("broken");
  EXPECT_EQ(answer.status, 500) << answer.body;
  EXPECT_EQ(answer.code(), "handler_error");
  EXPECT_EQ(answer.message(), "no luck");
  const auto record = server.record("timetable");
  EXPECT_EQ(record["status"].asString(), "running");
  EXPECT_EQ(scheduleIn(record, "broken")["lastStatus"].asString(), "error");
  EXPECT_EQ(scheduleIn(record, "broken")["lastError"].asString(), "no luck");
  EXPECT_EQ(record["lastError"]["source"].asString(), "schedule:broken");
  EXPECT_THAT(record["lastError"]["stack"].asString(), HasSubstr("server.ts:"));
  EXPECT_THAT(server.cli({"plugin", "list"}).out, HasSubstr(", last: error (no luck)\n"));
}

TEST_P(SchedulesTest, RunOneAtATimeAndAreAbortedByAReload) {
  Answer first;
  std::thread waiting([&] { first = run("patient"); });
  server.awaitRecord("timetable", [](const Json& record) {
    return scheduleIn(record, "patient")["lastStatus"].asString() == "running";
  });
  const auto second = run("patient");
  EXPECT_EQ(second.status, 409) << second.body;
  EXPECT_EQ(second.code(), "conflict");
  EXPECT_EQ(run("yearly").status, 200);
  EXPECT_EQ(server.reload("timetable").status, 200);
  waiting.join();
  EXPECT_FALSE(first.ok()) << first.body;
  EXPECT_THAT(first.message(), HasSubstr("reloaded or unloaded"));
  EXPECT_EQ(schedule("patient")["lastStatus"].asString(), "error");
}

TEST_P(SchedulesTest, RefuseARunOfWhatIsNotThere) {
  EXPECT_EQ(run("nobody").code(), "not_found");
  EXPECT_EQ(server.http().post("/api/v1/plugins/timetable/disable", "{}").status, 200);
  EXPECT_EQ(run("yearly").code(), "plugin_not_running");
}

TEST_P(SchedulesTest, CanBeAddedAfterTheLoad) {
  ASSERT_EQ(server.rpc("timetable", "add_late").status, 200);
  server.awaitRecord("timetable",
                     [](const Json& record) { return record["schedules"].items().size() == 4; });
  EXPECT_EQ(run("late").status, 200);
  // The next load has not registered it, so its row goes.
  EXPECT_EQ(server.reload("timetable").status, 200);
  EXPECT_EQ(server.record("timetable")["schedules"].items().size(), 3U);
}

TEST_P(SchedulesTest, FailTheLoadWithThePositionOfAWrongExpression) {
  const PluginDir plugin{"wrong",
                         "export default (svc) => svc.background.schedule('a', '0 25 * * *', "
                         "() => {});"};
  const auto record = server.install(plugin.path());
  EXPECT_EQ(record["status"].asString(), "error");
  EXPECT_THAT(record["statusDetail"].asString(),
              HasSubstr("background.schedule: cron \"0 25 * * *\": hour \"25\" is not a number "
                        "from 0 to 23 (position 3)"));
}

TEST_P(SchedulesTest, ACommandOfTheBuilderRunsBehindSvc) {
  const auto booked = server.cli({"timetable", "book", "17", "-s", "2", "--class=first"});
  EXPECT_EQ(booked.exit_code, 0) << booked.err;
  EXPECT_EQ(booked.out, "2 × first on 17\n");
  const auto wrong = server.cli({"timetable", "book", "--class", "third"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--class must be first or second, got \"third\""));
  const auto full = server.cli({"timetable", "book", "0", "--class=first", "--json"});
  EXPECT_EQ(full.exit_code, 4);
  EXPECT_THAT(full.out,
              HasSubstr(R"({"ok":false,"error":{"code":"full","message":"train 0 is full",)"
                        R"("hint":"Take a later one."}})"));
  const auto help = server.cli({"timetable", "book", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, HasSubstr("Usage: svc timetable book <train> --class <first|second>"));
}

SVC_FOR_EACH_STORAGE(SchedulesTest);

/// What the rows on disk decide after a restart.
class ScheduleRowsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto record = server.install(fixture("timetable"));
    ASSERT_EQ(record["status"].asString(), "running") << record.dump();
  }
  /// On the database of a server that is stopped.
  std::string sql(const std::string& statement) {
    const auto outcome = runCommand(
        {.argv = {"/usr/bin/env", "sqlite3", (server.dataDir() / "svc.db").string(), statement}});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }
  Json schedule(const std::string& name) { return scheduleIn(server.record("timetable"), name); }

  Server server{kDefaultModules, {"--timezone", "Asia/Kathmandu"}};
};

TEST_F(ScheduleRowsTest, UseTheConfiguredZone) {
  EXPECT_EQ(schedule("yearly")["timezone"].asString(), "Asia/Kathmandu");
  // Midnight there is 18:15 UTC.
  const auto of_day = schedule("yearly")["nextRunAt"].asInteger() % 86'400'000;
  EXPECT_EQ(of_day, (18 * 60 + 15) * 60'000);
}

TEST_F(ScheduleRowsTest, RunOnceForWhatWasMissed) {
  EXPECT_EQ(server.stop().exit_code, 0);
  sql("UPDATE plugin_schedules SET next_run_at=1000 WHERE name='yearly'");
  server.start();
  const auto record = server.awaitRecord("timetable", [](const Json& now) {
    return scheduleIn(now, "yearly")["lastStatus"].asString() == "ok";
  });
  const auto yearly = scheduleIn(record, "yearly");
  EXPECT_TRUE(yearly["lastRunMissed"].asBool());
  EXPECT_EQ(server.rpc("timetable", "runs").json["result"].dump(),
            R"([{"name":"yearly","scheduledAt":1000,"missed":true}])");
  EXPECT_GT(yearly["nextRunAt"].asInteger(), yearly["lastRunAt"].asInteger());
  EXPECT_THAT(server.cli({"plugin", "list"}).out, HasSubstr(", last: ok, missed\n"));
}

TEST_F(ScheduleRowsTest, CountFromNowAfterTheyWereDisabled) {
  EXPECT_EQ(server.http().post("/api/v1/plugins/timetable/disable", "{}").status, 200);
  EXPECT_EQ(server.stop().exit_code, 0);
  sql("UPDATE plugin_schedules SET next_run_at=1000");
  server.start();
  EXPECT_EQ(schedule("yearly")["nextRunAt"].asInteger(), 1000);
  EXPECT_EQ(server.http().post("/api/v1/plugins/timetable/enable", "{}").status, 200);
  EXPECT_GT(schedule("yearly")["nextRunAt"].asInteger(), 1'700'000'000'000);
  EXPECT_TRUE(schedule("yearly")["lastRunAt"].isNull());
}

TEST_F(ScheduleRowsTest, SayThatACrashHasInterruptedThem) {
  std::thread waiting([&] {
    EXPECT_ANY_THROW(static_cast<void>(server.http().send(
        {.method = "POST", .target = "/api/v1/plugins/timetable/schedules/patient/run"})));
  });
  server.awaitRecord("timetable", [](const Json& record) {
    return scheduleIn(record, "patient")["lastStatus"].asString() == "running";
  });
  server.kill();
  waiting.join();
  server.start();
  const auto patient = schedule("patient");
  EXPECT_EQ(patient["lastStatus"].asString(), "error");
  EXPECT_EQ(patient["lastError"].asString(), "interrupted by a server stop");
}

TEST_F(ScheduleRowsTest, GoWithTheirPlugin) {
  EXPECT_EQ(server.http().send({.method = "DELETE", .target = "/api/v1/plugins/timetable"}).status,
            200);
  EXPECT_EQ(server.stop().exit_code, 0);
  EXPECT_EQ(sql("SELECT count(*) FROM plugin_schedules"), "0\n");
}

TEST(ScheduleZoneTest, AnUnknownZoneStopsTheStart) {
  const TempDir data;
  const auto outcome =
      runCommand({.argv = {SVC_TEST_SVCD, "--data-dir", data.path().string(), "--listen",
                           "127.0.0.1:0", "--timezone", "Mars/Olympus"}});
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, HasSubstr("timezone: \"Mars/Olympus\" is not a time zone"));
}

}  // namespace
}  // namespace svc::test
