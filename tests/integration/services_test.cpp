// Background services, the end of a load as its plugin sees it, and safe mode.
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "harness/server.h"

namespace svc::test {
namespace {

using common::Json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ServicesTest : public ServerTest {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.install(fixture("services"))["status"].asString(), "running");
  }
  std::vector<std::string> trace() {
    std::ifstream in(server.dataDir() / "trace.txt");
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
      lines.push_back(line);
    }
    return lines;
  }
  static const Json& worker(const Json& record) { return record["services"].items().at(0); }
  /// Makes the service fail and returns the record once it runs again.
  Json failAndRestart(const std::string& how) {
    EXPECT_EQ(server.rpc("services", "fail", "\"" + how + "\"").status, 200);
    return server.awaitRecord("services", [](const Json& record) {
      return worker(record)["restarts"].asInteger() == 1 &&
             worker(record)["state"].asString() == "running";
    });
  }
};

TEST_P(ServicesTest, StartsAServiceAndShowsIt) {
  EXPECT_THAT(trace(), ElementsAre("worker starts", "installed"));
  const auto record = server.record("services");
  EXPECT_EQ(record["services"].dump(),
            R"([{"name":"worker","state":"running","restarts":0,"nextStartAt":null,)"
            R"("lastError":null}])");
  const auto list = server.cli({"plugin", "list"});
  EXPECT_THAT(list.out, HasSubstr("\n  service worker: running\n"));
}

TEST_P(ServicesTest, FailuresOfCallbacksRestartTheService) {
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"timer", "TypeError: failed in a timer"},
      {"rejection", "rejected and detached"},
      {"emitter", "emitted without a listener"}};
  for (const auto& [kind, message] : kinds) {
    ASSERT_EQ(server.reload("services").status, 200);
    const auto record = failAndRestart(kind);
    EXPECT_EQ(record["status"].asString(), "running") << kind;
    EXPECT_TRUE(record["statusDetail"].isNull()) << kind;
    EXPECT_EQ(record["lastError"]["source"].asString(), "service:worker") << kind;
    EXPECT_EQ(record["lastError"]["message"].asString(), message);
    EXPECT_THAT(record["lastError"]["stack"].asString(), HasSubstr("server.ts:")) << kind;
    EXPECT_EQ(worker(record)["lastError"]["message"].asString(), message);
  }
  const auto lines = trace();
  EXPECT_THAT(std::vector<std::string>(lines.begin() + 2, lines.begin() + 4),
              ElementsAre("worker is told to stop", "worker ends"))
      << "the signal of the failed run aborts";
  const auto shown = server.cli({"plugin", "show", "services"});
  EXPECT_THAT(shown.out,
              HasSubstr("  service worker: running, 1 restarts (emitted without a listener)\n"));
  EXPECT_THAT(shown.out, HasSubstr("in service:worker: emitted without a listener\n"));
  EXPECT_THAT(shown.out, HasSubstr("server.ts:"));
}

TEST_P(ServicesTest, AServiceThatResolvesIsNotStartedAgain) {
  ASSERT_EQ(server.rpc("services", "finish").status, 200);
  const auto record = server.awaitRecord(
      "services", [](const Json& each) { return worker(each)["state"].asString() == "stopped"; });
  EXPECT_EQ(record["status"].asString(), "running");
  EXPECT_EQ(worker(record)["restarts"].asInteger(), 0);
}

TEST_P(ServicesTest, AServiceRegisteredLaterStartsAtOnce) {
  ASSERT_EQ(server.rpc("services", "late").status, 200);
  const auto record = server.awaitRecord(
      "services", [](const Json& each) { return each["services"].items().size() == 2; });
  EXPECT_EQ(record["services"].items().at(1)["name"].asString(), "late");
  EXPECT_TRUE(eventually([&] { return trace().back() == "late starts"; }));
}

TEST_P(ServicesTest, NeedsConfigurationIsAStatusUntilTheNextLoad) {
  ASSERT_EQ(server.rpc("services", "fail", R"("configuration")").status, 200);
  const auto record = server.awaitRecord("services", [](const Json& each) {
    return each["status"].asString() == "needs-configuration";
  });
  EXPECT_EQ(record["statusDetail"].asString(), "add an address");
  EXPECT_EQ(worker(record)["state"].asString(), "stopped");
  EXPECT_EQ(server.rpc("services", "set", "{}").status, 200) << "calls are still answered";
  ASSERT_EQ(server.reload("services").status, 200);
  EXPECT_EQ(server.record("services")["status"].asString(), "running");
}

TEST_P(ServicesTest, RunsInstallHooksOnce) {
  // Without a disk a restart leaves nothing installed.
  if (GetParam() == std::string(kDefaultModules)) {
    server.restart();
  }
  ASSERT_EQ(server.reload("services").status, 200);
  ASSERT_EQ(server.http().post("/api/v1/plugins/services/disable", "{}").status, 200);
  ASSERT_EQ(server.http().post("/api/v1/plugins/services/enable", "{}").status, 200);
  const auto lines = trace();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "installed"), 1);
  const auto log = server.http().get("/api/v1/plugins/services/logs?tail=1000").body;
  EXPECT_THAT(log, HasSubstr("an onInstall hook failed: the welcome message could not be sent"));
}

TEST_P(ServicesTest, TheEndOfALoadKeepsItsOrder) {
  auto socket = server.socket();
  ASSERT_EQ(server.rpc("services", "set", R"({"hangHook":true})").status, 200);
  std::string answer;
  std::thread caller([&] { answer = server.rpc("services", "wait").body; });
  ASSERT_TRUE(socket.awaitSignal("services", "state", R"("waiting")"));
  EXPECT_EQ(server.http().post("/api/v1/plugins/services/disable", "{}").status, 200);
  caller.join();
  EXPECT_EQ(answer, R"({"ok":true,"result":"answered"})") << "a call in flight is drained";
  EXPECT_THAT(trace(), ElementsAre("worker starts", "installed", "worker is told to stop",
                                   "worker ends", "hook 3", "hook 2", "hook 1", "call ends"));
  const auto log = server.http().get("/api/v1/plugins/services/logs?tail=1000").body;
  EXPECT_THAT(log, HasSubstr("it did not finish within 5000 ms (limit disposeHook)"));
  EXPECT_THAT(log, HasSubstr("an onDispose hook failed: hook 2 is broken"));
  const auto record = server.record("services");
  EXPECT_EQ(record["status"].asString(), "disabled");
  EXPECT_TRUE(record["services"].items().empty());
}

TEST_P(ServicesTest, AServiceThatDoesNotStopDegradesThePluginForAWhile) {
  auto socket = server.socket();
  // The hook keeps the previous environment, and with it the status, longer than any machine takes for the load.
  ASSERT_EQ(server.rpc("services", "set", R"({"hangService":true,"hangHook":true})").status, 200);
  const auto answer = server.cli({"plugin", "reload", "services"});
  EXPECT_EQ(answer.exit_code, 1) << answer.out;
  EXPECT_THAT(answer.out, HasSubstr("services@1.0.0  degraded  (service \"worker\" did not finish "
                                    "within 5000 ms (limit serviceStop))"));
  EXPECT_TRUE(socket.awaitStatus("services", "degraded"));
  EXPECT_TRUE(socket.awaitStatus("services", "running"));
  EXPECT_EQ(server.record("services")["generation"].asInteger(), 2);
}

TEST_P(ServicesTest, AServiceThatFailsDuringTheLoadIsAnErrorThatAnswersCalls) {
  const PluginDir plugin("broken-start", R"(
const any = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };
export default function (svc: any) {
  svc.rpc.register({ get: { input: any, output: any } }, { get: () => "here" });
  svc.background.service("sync", { start() { throw new Error("no network"); } });
}
)");
  const auto record = server.install(plugin.path());
  EXPECT_EQ(record["status"].asString(), "error");
  EXPECT_EQ(record["statusDetail"].asString(),
            R"(service "sync" failed during activation: no network)");
  EXPECT_EQ(record["services"].items().at(0)["state"].asString(), "backoff");
  EXPECT_EQ(server.rpc("broken-start", "get").body, R"({"ok":true,"result":"here"})");
  const auto again = server.awaitRecord(
      "broken-start", [](const Json& each) { return worker(each)["restarts"].asInteger() >= 1; });
  EXPECT_EQ(again["status"].asString(), "error") << "the restart has failed as well";
}

TEST_P(ServicesTest, SavedSettingsLoadAPluginThatWaitsForThem) {
  const PluginDir plugin("wanting", R"(
export default async function (svc: any) {
  const settings = svc.settings.define({ address: { type: "string" } });
  const { address } = await settings.get();
  if (address === undefined) svc.status.needsConfiguration("add an address");
}
)");
  EXPECT_EQ(server.install(plugin.path())["status"].asString(), "needs-configuration");
  const auto saved = server.http().send({.method = "PUT",
                                         .target = "/api/v1/plugins/wanting/settings",
                                         .body = R"({"values":{"address":"here"}})",
                                         .headers = {{"content-type", "application/json"}}});
  EXPECT_EQ(saved.status, 200) << saved.body;
  const auto record = server.awaitRecord(
      "wanting", [](const Json& each) { return each["status"].asString() == "running"; });
  EXPECT_EQ(record["generation"].asInteger(), 2);
}

TEST_P(ServicesTest, APluginWhoseDirectoryIsGoneIsMissing) {
  {
    const PluginDir plugin("leaving", answering("1"));
    ASSERT_EQ(server.install(plugin.path())["status"].asString(), "running");
  }
  const auto kept = server.reload("leaving");
  EXPECT_EQ(kept.status, 422);
  EXPECT_THAT(kept.message(), ::testing::EndsWith("(the previous instance is still running)"));
  ASSERT_EQ(server.http().post("/api/v1/plugins/leaving/disable", "{}").status, 200);
  const auto enabled = server.http().post("/api/v1/plugins/leaving/enable", "{}");
  EXPECT_EQ(enabled.json["plugin"]["status"].asString(), "missing") << enabled.body;
  EXPECT_THAT(enabled.json["plugin"]["statusDetail"].asString(), HasSubstr("reinstall"));
}

TEST_P(ServicesTest, SafeModeHoldsEveryPlugin) {
  EXPECT_EQ(server.cli({"plugin", "safe-mode"}).out, "Safe mode is off.\n");
  const auto on = server.cli({"plugin", "safe-mode", "on"});
  EXPECT_EQ(on.exit_code, 0) << on.err;
  EXPECT_EQ(on.out, "Safe mode is on.\n");
  const auto record = server.record("services");
  EXPECT_EQ(record["status"].asString(), "disabled");
  EXPECT_EQ(record["statusDetail"].asString(), "safe mode is on");
  EXPECT_TRUE(record["enabled"].asBool());
  EXPECT_EQ(server.rpc("services", "set", "{}").code(), "plugin_not_running");
  const auto reload = server.reload("services");
  EXPECT_EQ(reload.status, 409);
  EXPECT_EQ(reload.code(), "safe_mode");
  const PluginDir other("other", answering("1"));
  const auto install =
      server.http().post("/api/v1/plugins/install",
                         Json::object().set("source", "path:" + other.path().string()).dump());
  EXPECT_EQ(install.status, 409);
  EXPECT_EQ(install.code(), "safe_mode");
  const auto enabled = server.http().post("/api/v1/plugins/services/enable", "{}");
  EXPECT_EQ(enabled.status, 200);
  EXPECT_EQ(enabled.json["plugin"]["statusDetail"].asString(), "safe mode is on");
  const auto off = server.cli({"plugin", "safe-mode", "off"});
  EXPECT_EQ(off.exit_code, 0) << off.out << off.err;
  EXPECT_EQ(server.record("services")["status"].asString(), "running");
}

SVC_FOR_EACH_STORAGE(ServicesTest);

TEST(SafeModeTest, SurvivesARestartAndNamesWhatDoesNotRunAfterwards) {
  Server server;
  const PluginDir plugin("changing", answering("1"));
  ASSERT_EQ(server.install(plugin.path())["status"].asString(), "running");
  ASSERT_EQ(server.cli({"plugin", "safe-mode", "on"}).exit_code, 0);
  server.restart();
  EXPECT_EQ(server.cli({"plugin", "safe-mode"}).out, "Safe mode is on.\n");
  EXPECT_EQ(server.record("changing")["statusDetail"].asString(), "safe mode is on");
  plugin.write("export default () => { throw new Error('no good'); };");
  const auto off = server.cli({"plugin", "safe-mode", "off"});
  EXPECT_EQ(off.exit_code, 1);
  EXPECT_THAT(off.out, ::testing::StartsWith("Safe mode is off.\nNot running: changing  error  ("));
  EXPECT_THAT(off.out, HasSubstr("no good"));
}

TEST(SafeModeTest, AServerCanStartWithItOn) {
  Server server(kMemoryModules, {"--safe-mode"});
  EXPECT_EQ(server.cli({"plugin", "safe-mode"}).out, "Safe mode is on.\n");
}

TEST(WatchdogTest, NamesTheLineThatBlocks) {
  Server server(kMemoryModules, {"--plugins.watchdog-ms=300", "--plugins.terminate-ms=1500"});
  const PluginDir plugin("spinning", R"(
const any = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };
export default function (svc: any) {
  svc.rpc.register({ get: { input: any, output: any } }, { get: function spinForEver() {
    for (;;) {}
  } });
}
)");
  ASSERT_EQ(server.install(plugin.path())["status"].asString(), "running");
  std::thread caller([&] { static_cast<void>(server.rpc("spinning", "get")); });
  const auto stalled = server.awaitRecord("spinning", [](const Json& record) {
    return record["counters"]["watchdogStalls"].asInteger() == 1 &&
           !record["statusDetail"].isNull();
  });
  EXPECT_THAT(stalled["statusDetail"].asString(), HasSubstr("; it is blocked at "));
  EXPECT_THAT(stalled["statusDetail"].asString(), HasSubstr("server.ts:5:"));
  const auto ended = server.awaitRecord("spinning", [](const Json& record) {
    return record["counters"]["terminations"].asInteger() == 1;
  });
  EXPECT_THAT(ended["lastError"]["message"].asString(), HasSubstr("server.ts:5:"));
  caller.join();
  const auto again = server.awaitRecord("spinning", [](const Json& record) {
    return record["status"].asString() == "running" && record["generation"].asInteger() == 2;
  });
  EXPECT_TRUE(again["statusDetail"].isNull()) << again.dump();
  const auto log = server.http().get("/api/v1/plugins/spinning/logs?tail=1000").body;
  EXPECT_THAT(log, HasSubstr("server.ts:5:"));
}

}  // namespace
}  // namespace svc::test
