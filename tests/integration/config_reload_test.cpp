// What a real server does with a configuration file that changes while it runs.
#include <csignal>
#include <fstream>

#include <gmock/gmock.h>

#include "harness/server.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::HasSubstr;

class ConfigReloadTest : public ::testing::Test {
 protected:
  static std::filesystem::path write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream(file) << text;
    return file;
  }
  Answer reload(const std::string& text) {
    write(file_, text);
    return server_.http().post("/api/v1/system/config/reload", "{}");
  }
  int statusFor(const std::string& origin) {
    return server_.http()
        .send({.method = "GET", .target = "/api/v1/plugins", .headers = {{"Origin", origin}}})
        .status;
  }

  TempDir directory_;
  std::filesystem::path file_ = write(directory_.path() / "config.json", "{}");
  Server server_{kDefaultModules, {"--config", file_.string()}};
};

TEST_F(ConfigReloadTest, AllowedOriginsApplyAtOnce) {
  EXPECT_EQ(statusFor("https://desk.example"), 403);
  const auto answer =
      reload(R"({"listen":{"allowedOrigins":["https://desk.example"],"port":1}}  // more)");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["applied"].dump(), R"(["listen.allowedOrigins"])");
  EXPECT_EQ(answer.json["needRestart"].dump(), "[]") << "the flag --listen stays above the file";
  EXPECT_EQ(statusFor("https://desk.example"), 200);
  ASSERT_EQ(reload("{}").status, 200);
  EXPECT_EQ(statusFor("https://desk.example"), 403);
}

TEST_F(ConfigReloadTest, WhatNeedsARestartIsNamed) {
  const auto answer = reload(R"({"log":{"format":"text","level":"debug"}})");
  ASSERT_EQ(answer.status, 200) << answer.body;
  EXPECT_EQ(answer.json["applied"].dump(), R"(["log.level"])");
  EXPECT_EQ(answer.json["needRestart"].dump(), R"(["log.format"])");
}

TEST_F(ConfigReloadTest, TheZoneMovesSchedules) {
  ASSERT_EQ(server_.install(fixture("timetable"))["status"].asString(), "running");
  const auto yearly = [](const Json& record) {
    for (const auto& schedule : record["schedules"].items()) {
      if (schedule["name"].asString() == "yearly") {
        return schedule;
      }
    }
    return Json();
  };
  ASSERT_EQ(reload(R"({"timezone":"Asia/Tokyo"})").status, 200);
  const auto tokyo = yearly(server_.awaitRecord("timetable", [&](const Json& record) {
    return yearly(record)["timezone"].asString() == "Asia/Tokyo";
  }));
  ASSERT_EQ(reload(R"({"timezone":"America/Lima"})").status, 200);
  const auto lima = yearly(server_.awaitRecord("timetable", [&](const Json& record) {
    return yearly(record)["timezone"].asString() == "America/Lima";
  }));
  constexpr std::int64_t kHourMs = 3'600'000;
  EXPECT_EQ(lima["nextRunAt"].asInteger() - tokyo["nextRunAt"].asInteger(), 14 * kHourMs);
  EXPECT_EQ(server_.http().get("/api/v1/system/config").json["timezone"].asString(),
            "America/Lima");
}

TEST_F(ConfigReloadTest, LimitsOfPluginsApplyToTheNextLoad) {
  const PluginDir hungry("hungry", R"(const held = [];
for (let at = 0; at < 32; ++at) held.push(new Array(131_072).fill(at));
export default () => void held;
)");
  ASSERT_EQ(server_.install(hungry.path())["status"].asString(), "running");
  ASSERT_EQ(reload(R"({"plugins":{"overrides":{"hungry":{"heapMiB":16}}}})").status, 200);
  EXPECT_NE(server_.reload("hungry").status, 200) << "32 MiB do not fit";
  ASSERT_EQ(reload("{}").status, 200);
  EXPECT_EQ(server_.reload("hungry").status, 200);
}

TEST_F(ConfigReloadTest, TheSizeOfPluginRequestsAppliesAtOnce) {
  ASSERT_EQ(server_.install(fixture("http_routes"))["status"].asString(), "running");
  const auto put = [this] {
    return server_.http()
        .send({.method = "PUT",
               .target = "/api/v1/plugins/http-routes/http/digest",
               .body = std::string(2000, 'x'),
               .headers = {{"Content-Type", "application/octet-stream"}}})
        .status;
  };
  EXPECT_EQ(put(), 200);
  ASSERT_EQ(reload(R"({"plugins":{"httpBodyMax":1000}})").status, 200);
  EXPECT_EQ(put(), 413);
}

TEST_F(ConfigReloadTest, AWrongFileChangesNothingAndSaysWhy) {
  for (const char* text : {R"({"listen":{"allowedOrigins":["not an origin"]}})",
                           R"({"timezone":"Mars/Olympus"})", R"({"log":{"level":"loud"}})",
                           R"({"tmezone":"UTC"})", "{", R"({"plugins":{"httpBodyMax":0}})"}) {
    const auto answer = reload(text);
    EXPECT_EQ(answer.status, 400) << text << '\n' << answer.body;
    EXPECT_FALSE(answer.message().empty()) << text;
  }
  EXPECT_EQ(statusFor("https://desk.example"), 403);
  EXPECT_THAT(reload(R"({"tmezone":"UTC"})").message(), HasSubstr("did you mean \"timezone\"?"));
}

TEST_F(ConfigReloadTest, AHangUpReadsItToo) {
  auto socket = server_.socket();
  socket.send(R"({"type":"subscribe","target":{"kind":"system"}})");
  socket.send(R"({"type":"ping"})");
  ASSERT_TRUE(
      socket.await([](const common::Json& frame) { return frame["type"].asString() == "pong"; }));
  write(file_, R"({"listen":{"allowedOrigins":["https://desk.example"]}})");
  ASSERT_EQ(::kill(server_.pid(), SIGHUP), 0);
  EXPECT_TRUE(eventually([this] { return statusFor("https://desk.example") == 200; }));
  EXPECT_TRUE(socket.await([](const common::Json& frame) {
    return frame["type"].asString() == "changed" &&
           frame["changes"].dump() == R"(["config-changed"])";
  })) << "open pages hear of it";
}

}  // namespace
}  // namespace svc::test
