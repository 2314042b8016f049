#include "plugin_block.h"

#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "exit_code.h"

namespace svc::client {
namespace {

using common::Json;

class PluginBlockTest : public ::testing::Test {
 protected:
  static Json parse(const std::string& text) { return Json::parse(text).value(); }
  std::stringstream stream;
  Console console{.in = stream, .out = stream, .err = stream};
};

TEST_F(PluginBlockTest, ShowsAHealthyPlugin) {
  const auto record =
      parse(R"({"id":"todo","version":"1.2.0","status":"running","statusDetail":null,
    "source":"path:/x/todo","handlerStats":{"count":3,"totalMs":4.5,"maxMs":2,"errorCount":0},
    "cliCommand":{"name":"todo","summary":"Manage todos","shadowed":false}})");
  EXPECT_EQ(pluginBlock(record, console),
            "todo@1.2.0  running\n"
            "  source: path:/x/todo\n"
            "  handlers: 3 calls / 4.5 ms / 2 ms\n"
            "  command: svc todo — Manage todos\n");
}

TEST_F(PluginBlockTest, ACommandWhoseNameIsAnothersIsReachedByItsPlugin) {
  const auto record = parse(
      R"({"id":"medic","status":"running","cliCommand":{"name":"doctor","summary":"s","shadowed":true}})");
  EXPECT_THAT(pluginBlock(record, console),
              ::testing::HasSubstr("  command: svc plugin run medic — s\n"));
}

TEST_F(PluginBlockTest, OfThousandsOfSchedulesTheFirstAreShown) {
  auto schedules = Json::array();
  for (int at = 0; at < 1000; ++at) {
    schedules.push(parse(fmt::format(R"({{"name":"at-{}","cron":"@daily"}})", at)));
  }
  const auto record = parse(R"({"id":"busy","version":"1","status":"running"})");
  const auto block = pluginBlock(Json(record).set("schedules", std::move(schedules)), console);
  EXPECT_THAT(block,
              ::testing::HasSubstr("  schedule at-19 (@daily): next -\n"
                                   "  and 980 more schedules (svc --json plugin show busy)\n"));
  EXPECT_THAT(block, ::testing::Not(::testing::HasSubstr("at-20 ")));
}

TEST_F(PluginBlockTest, ShowsServicesSchedulesAndErrors) {
  const auto record =
      parse(R"({"id":"a","version":"1","status":"error","statusDetail":"boom","source":"s",
    "handlerStats":{"count":10,"totalMs":12400,"maxMs":999,"errorCount":2},
    "services":[{"name":"sync","state":"backoff","restarts":3,"lastError":{"at":0,"message":"refused"}},
                {"name":"idle","state":"running","restarts":0,"lastError":null}],
    "schedules":[{"name":"nightly","cron":"0 3 * * *","nextRunAt":1735689600000,"lastStatus":"error",
                  "lastError":"no disk","lastRunMissed":true},
                 {"name":"new","cron":"@hourly","nextRunAt":1735689600000,"lastStatus":null,"lastError":null}],
    "cliCommand":null})");
  EXPECT_EQ(
      pluginBlock(record, console),
      "a@1  error  (boom)\n"
      "  source: s\n"
      "  handlers: 10 calls / 12.4 s / 999 ms, 2 errors\n"
      "  service sync: backoff, 3 restarts (refused)\n"
      "  service idle: running\n"
      "  schedule nightly (0 3 * * *): next 2025-01-01T00:00:00Z, last: error, missed (no disk)\n"
      "  schedule new (@hourly): next 2025-01-01T00:00:00Z\n");
}

TEST_F(PluginBlockTest, MakesForeignTextSafe) {
  const auto record = parse(
      R"({"id":"a","version":"1","status":"error","statusDetail":"x\u001b]0;t\u0007\ty","source":"s"})");
  EXPECT_EQ(pluginBlock(record, console),
            "a@1  error  (x]0;t y)\n  source: s\n  handlers: 0 calls / 0 ms / 0 ms\n");
}

TEST_F(PluginBlockTest, ColoursTheStatusOnly) {
  console.color = true;
  const auto record = parse(R"({"id":"a","version":"1","status":"running","source":"s"})");
  EXPECT_EQ(pluginBlock(record, console),
            "a@1  \x1b[32mrunning\x1b[0m\n  source: s\n  handlers: 0 calls / 0 ms / 0 ms\n");
}

TEST_F(PluginBlockTest, ShowsDetails) {
  const auto record = parse(
      R"({"id":"a","version":"1","status":"running","source":"s","rootDir":"/r","generation":4,
    "counters":{"outOfBandErrors":1,"watchdogStalls":0,"terminations":0,"heldCalls":2},
    "lastError":{"at":0,"message":"boom","stack":"Error: boom\n    at server.ts:12","source":"timer"},
    "problems":[{"code":"unknown_field","message":"x"}],"unsupported":["agents"]})");
  EXPECT_EQ(pluginDetails(record, console),
            "a@1  running\n  source: s\n  handlers: 0 calls / 0 ms / 0 ms\n  directory: /r\n  "
            "generation: 4\n"
            "  counters: 1 out-of-band errors, 0 stalls, 0 terminations, 2 held calls\n"
            "  last error: 1970-01-01T00:00:00Z in timer: boom\n    Error: boom\n        at "
            "server.ts:12\n"
            "  problem unknown_field: x\n  unsupported: agents\n");
}

TEST_F(PluginBlockTest, KeepsSourceLinesOutOfTheBlockAndInTheDetails) {
  const auto record = parse(
      R"({"id":"a","version":"1","status":"error","statusDetail":"server.ts:3:7: no\n    let x y\n          ^",
    "source":"s","lastError":{"at":0,"message":"server.ts:3:7: no\n    let x y","stack":"","source":"load"}})");
  EXPECT_THAT(pluginBlock(record, console),
              ::testing::StartsWith("a@1  error  (server.ts:3:7: no)\n  source: s\n"));
  const auto details = pluginDetails(record, console);
  EXPECT_THAT(details, ::testing::HasSubstr(
                           "  detail:\n    server.ts:3:7: no\n        let x y\n              ^\n"));
  EXPECT_THAT(details, ::testing::HasSubstr("in load: server.ts:3:7: no\n        let x y\n"));
}

TEST_F(PluginBlockTest, DerivesTheExitCodeFromTheStatus) {
  EXPECT_EQ(exitCodeForStatus(parse(R"({"status":"running"})")), kExitOk);
  EXPECT_EQ(exitCodeForStatus(parse(R"({"status":"error"})")), kExitFailure);
  EXPECT_EQ(exitCodeForStatus(parse(R"({"status":"incompatible"})")), kExitIncompatible);
}

std::string nextSteps(const std::string& record, bool terminal = true) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  Console console{.in = in, .out = out, .err = err};
  console.out_terminal = terminal;
  tellNextSteps(console, common::Json::parse(record).value(), "http://127.0.0.1:4700");
  EXPECT_EQ(out.str(), "");
  return err.str();
}

TEST(NextStepsTest, SayWhatCanBeDoneWithAPluginNow) {
  EXPECT_EQ(nextSteps(R"({"id":"todo","status":"running","app":{"hasApp":true},)"
                      R"("cliCommand":{"name":"todo","shadowed":false},"hasSettings":true})"),
            "Next: open http://127.0.0.1:4700/plugins/todo\n"
            "      svc todo --help\n"
            "      svc plugin config todo\n");
  EXPECT_EQ(
      nextSteps(R"({"id":"x","status":"running","cliCommand":{"name":"up","shadowed":true}})"),
      "Next: svc plugin run x --help\n");
  EXPECT_EQ(nextSteps(R"({"id":"x","status":"needs-configuration"})"),
            "Next: svc plugin config x\n");
  EXPECT_EQ(nextSteps(R"({"id":"x","status":"disabled"})"), "");
  EXPECT_EQ(nextSteps(R"({"id":"x","status":"running","hasSettings":true})", false), "");
}

TEST(NextStepsTest, ASchedulesTimeIsToldFromNowOnATerminal) {
  std::istringstream in;
  std::ostringstream out;
  Console console{.in = in, .out = out, .err = out};
  const auto record = common::Json::parse(
      R"({"id":"x","version":"1.0.0","status":"running","schedules":[{"name":"beat","cron":"* * * * *","nextRunAt":1767225630000}]})");
  EXPECT_THAT(pluginBlock(record.value(), console),
              ::testing::HasSubstr("next 2026-01-01T00:00:30Z"));
  console.out_terminal = true;
  console.began_ms = 1'767'225'600'000;
  EXPECT_THAT(pluginBlock(record.value(), console), ::testing::HasSubstr("next in 30 s"));
}

}  // namespace
}  // namespace svc::client
