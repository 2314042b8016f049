// What was acknowledged is there after the process went, however it went. Only for storage on disk.
#include <thread>

#include <Poco/Exception.h>

#include "harness/hosts.h"
#include "harness/server.h"

namespace svc::test {
namespace {

std::vector<std::string> titles(const Server& server) {
  std::vector<std::string> result;
  const auto list = server.rpc("todo", "todos_list").json;
  for (const auto& todo : list["result"]["todos"].items()) {
    result.push_back(todo["title"].asString());
  }
  return result;
}

TEST(DurabilityTest, ARestartLosesNothing) {
  Server server;
  server.install(example("todo"));
  for (const std::string title : {"one", "two", "three"}) {
    ASSERT_EQ(server.rpc("todo", "todos_add", R"({"title":")" + title + R"("})").status, 200);
  }
  const auto generation = server.record("todo")["generation"].asInteger();
  server.restart();
  EXPECT_EQ(server
                .awaitRecord(
                    "todo",
                    [](const auto& r) { return r["status"].asString() == "running"; })["generation"]
                .asInteger(),
            generation + 1);
  EXPECT_EQ(titles(server), (std::vector<std::string>{"one", "two", "three"}));
}

TEST(DurabilityTest, StatisticsAndTheLastErrorSurviveARestartAndEndWithThePlugin) {
  Server server;
  server.install(fixture("probe"));
  EXPECT_EQ(server.rpc("probe", "echo", "1").status, 200);
  EXPECT_EQ(server.rpc("probe", "fail").status, 500);
  const auto before = server.record("probe");
  ASSERT_EQ(before["handlerStats"]["count"].asInteger(), 2);
  server.restart();
  const auto after = server.record("probe");
  EXPECT_EQ(after["handlerStats"].dump(), before["handlerStats"].dump());
  EXPECT_EQ(after["counters"].dump(), before["counters"].dump());
  EXPECT_EQ(after["lastError"].dump(), before["lastError"].dump());
  ASSERT_EQ(server.http().send({.method = "DELETE", .target = "/api/v1/plugins/probe"}).status,
            200);
  server.install(fixture("probe"));
  EXPECT_EQ(server.record("probe")["handlerStats"]["count"].asInteger(), 0);
  EXPECT_TRUE(server.record("probe")["lastError"].isNull());
}

TEST(DurabilityTest, DisablingSurvivesARestart) {
  Server server;
  server.install(example("todo"));
  ASSERT_EQ(server.http().post("/api/v1/plugins/todo/disable", "{}").status, 200);
  server.restart();
  EXPECT_EQ(server.record("todo")["status"].asString(), "disabled");
  EXPECT_EQ(server.rpc("todo", "todos_list").code(), "plugin_not_running");
}

TEST(DurabilityTest, AKillDuringWritesLosesNoAcknowledgedWrite) {
  Server server;
  server.install(example("todo"));
  auto socket = server.socket();
  std::vector<std::string> acknowledged;
  std::thread writer([&] {
    try {
      auto http = server.http();
      for (int i = 0; i < 10'000; ++i) {
        const auto title = "todo " + std::to_string(i);
        if (http.rpc("todo", "todos_add", R"({"title":")" + title + R"("})").status != 200) {
          return;
        }
        acknowledged.push_back(title);
      }
    } catch (const Poco::Exception&) {
      // The server was killed: what came before is what counts.
    }
  });
  EXPECT_TRUE(socket.awaitSignal("todo", "todos-changed", R"({"count":40})"));
  server.kill();
  writer.join();
  server.start();
  server.awaitRecord("todo",
                     [](const auto& record) { return record["status"].asString() == "running"; });
  const auto kept = titles(server);
  ASSERT_GE(acknowledged.size(), 39U);
  ASSERT_GE(kept.size(), acknowledged.size());
  EXPECT_TRUE(std::equal(acknowledged.begin(), acknowledged.end(), kept.begin()));
}

TEST(DurabilityTest, ProgramsThatAKilledServerHasLeftEndWithTheNextStart) {
  const PluginDir plugin("starter", R"(
import { spawn } from "node:child_process";
const any = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };
export default function (svc: any) {
  const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
  svc.rpc.register({ get: { input: any, output: any } }, { get: () => child.pid });
}
)");
  Server server;
  server.install(plugin.path());
  const auto child = static_cast<int>(server.rpc("starter", "get").json["result"].asInteger());
  ASSERT_TRUE(isAlive(child));
  server.kill();
  EXPECT_TRUE(isAlive(child)) << "nobody is there to end it";
  server.start();
  EXPECT_TRUE(eventually([&] { return !isAlive(child); }));
  server.awaitRecord("starter", [](const auto& r) { return r["status"].asString() == "running"; });
  EXPECT_TRUE(isAlive(static_cast<int>(server.rpc("starter", "get").json["result"].asInteger())));
}

}  // namespace
}  // namespace svc::test
