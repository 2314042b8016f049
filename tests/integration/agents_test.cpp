// What plugins add to agents, threads and windows, through a real environment.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "svc/common/limits/plugins.h"

#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::vector<std::string> probeFlags() {
  return {std::string("--modules.path=") + SVC_TEST_MODULES, "--modules.add=agentprobe"};
}

std::string joined(const common::Json& list) {
  std::string out;
  for (const auto& item : list.items()) {
    out += (out.empty() ? "" : " ") + item.asString();
  }
  return out;
}

class AgentsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    record = server.install(fixture("surface"));
    ASSERT_EQ(record["status"].asString(), "running") << record.dump();
  }
  Answer probe(const std::string& action, const std::string& body = "{}") {
    return server.http().post("/test/agents/" + action, body);
  }
  static std::string text(const Answer& answer) {
    const auto& content = answer.json["content"].items();
    return content.empty() ? answer.body : content.front()["text"].asString();
  }

  Server server{kDefaultModules, probeFlags()};
  common::Json record;
};

TEST_F(AgentsTest, APluginThatUsesEveryMemberRuns) {
  EXPECT_EQ(server.rpc("surface", "failures").json["result"].dump(), "[]");
  EXPECT_EQ(joined(record["unsupported"]),
            "events.on(\"experimental_terminal.input\") "
            "experimental_aiServices.register experimental_environments.recheck "
            "experimental_environments.register "
            "experimental_machines.register experimental_serverAccess.register");
  ASSERT_EQ(record["problems"].items().size(), 1U) << record["problems"].dump();
  EXPECT_EQ(record["problems"].items()[0]["code"].asString(), "unknown_field");
  EXPECT_EQ(joined(record["providerIds"]), "surface-agent");
  const auto& capabilities = record["capabilities"].items();
  const auto tools = std::count_if(
      capabilities.begin(), capabilities.end(),
      [](const common::Json& entry) { return entry["kind"].asString() == "agent-tool"; });
  EXPECT_EQ(tools, 4);
}

TEST_F(AgentsTest, ToolsAreListedAndCalled) {
  EXPECT_EQ(joined(probe("list").json["tools"]),
            "surface:double surface:fail surface:hang surface:pause");
  const auto answer = probe("call", R"({"name":"double","arguments":{"n":21},"threadId":"thr_1"})");
  EXPECT_EQ(text(answer), "42 in thr_1");
  EXPECT_FALSE(answer.json["isError"].asBool());
}

TEST_F(AgentsTest, FailuresOfToolsAreTextAndAreRecorded) {
  auto answer = probe("call", R"({"name":"fail","arguments":{}})");
  EXPECT_TRUE(answer.json["isError"].asBool());
  EXPECT_EQ(text(answer), "Tool fail failed: as asked");
  EXPECT_EQ(server.record("surface")["lastError"]["source"].asString(), "tool:fail");
  answer = probe("call", R"({"name":"double","arguments":{"n":"x"}})");
  EXPECT_EQ(text(answer).find("Invalid arguments for tool double: n: "), 0U) << text(answer);
  EXPECT_EQ(text(probe("call", R"({"name":"gone","arguments":{}})")), "Unknown tool gone");
}

TEST_F(AgentsTest, DisposalAbortsOpenToolCalls) {
  auto socket = server.socket();
  std::jthread reloading([this, &socket] {
    if (socket.awaitSignal("surface", "hanging")) {
      static_cast<void>(server.http().post("/api/v1/plugins/surface/disable", ""));
    }
  });
  const auto answer = probe("call", R"({"name":"hang","arguments":{}})");
  EXPECT_TRUE(answer.json["isError"].asBool());
  EXPECT_EQ(text(answer), "Tool hang was aborted: plugin-disposed");
  reloading.join();
  EXPECT_TRUE(socket.awaitSignal("surface", "aborted", "\"plugin-disposed\""));
}

TEST_F(AgentsTest, ATwiceUsedToolNameStaysWithItsHolder) {
  const PluginDir rival("a-rival", R"(
export default function (svc: any) {
  svc.agents.registerTool({ name: "double", description: "d", parameters: { type: "object" }, execute: () => "mine" });
}
)");
  static_cast<void>(server.install(rival.path()));
  EXPECT_EQ(joined(probe("list").json["tools"]),
            "surface:double surface:fail surface:hang surface:pause");
  const auto loser = server.awaitRecord(
      "a-rival", [](const common::Json& plugin) { return !plugin["problems"].items().empty(); });
  EXPECT_EQ(loser["problems"].items()[0]["code"].asString(), "agent_tool_shadowed");
  EXPECT_EQ(loser["status"].asString(), "running");
}

TEST_F(AgentsTest, ConfigureAndInstructionsShapeASession) {
  const auto session =
      probe("open", R"({"threadId":"thr_1","projectId":"proj_1","service":"Be kind."})").json;
  EXPECT_EQ(joined(session["tools"]), "surface:double");
  EXPECT_EQ(session["instructions"].asString(), "Be kind.\n\nYou are in thr_1.");
  auto answer = probe("call", R"({"session":true,"name":"double","arguments":{"n":4}})");
  EXPECT_EQ(text(answer), "8 in thr_1");
  answer = probe("call", R"({"session":true,"name":"double","arguments":{"n":101}})");
  EXPECT_EQ(text(answer).find("Invalid arguments for tool double: "), 0U) << text(answer);
  EXPECT_EQ(text(probe("call", R"({"name":"double","arguments":{"n":101}})")), "202 in null");
  EXPECT_EQ(text(probe("call", R"({"session":true,"name":"fail","arguments":{}})")),
            "Unknown tool fail");
  EXPECT_EQ(joined(probe("open", R"({"threadId":"thr_all"})").json["tools"]),
            "surface:double surface:fail");
}

TEST_F(AgentsTest, ASessionThatAPluginFailsToConfigureHasNothingOfIt) {
  const auto session = probe("open", R"({"threadId":"thr_wider"})").json;
  EXPECT_EQ(joined(session["tools"]), "");
  const auto log = server.http().get("/api/v1/plugins/surface/logs").body;
  EXPECT_THAT(log, AllOf(HasSubstr("agents.configure returned"),
                         HasSubstr("no tools and no skills this time"),
                         HasSubstr("that allow more than the tool")));
}

TEST_F(AgentsTest, AuthorsListAndCallTools) {
  const auto tools = server.http().get("/api/v1/plugins/surface/tools").json["tools"];
  ASSERT_EQ(tools.items().size(), 4U);
  EXPECT_EQ(tools.items()[0]["name"].asString(), "double");
  EXPECT_TRUE(tools.items()[0]["offered"].asBool());
  auto answer = server.http().post("/api/v1/plugins/surface/tools/double", R"({"n":2})");
  EXPECT_EQ(text(answer), "4 in null");
  EXPECT_FALSE(answer.json["isError"].asBool());
  answer = server.http().post("/api/v1/plugins/surface/tools/fail", "");
  EXPECT_TRUE(answer.json["isError"].asBool());
  EXPECT_EQ(server.http().post("/api/v1/plugins/surface/tools/gone", "").status, 404);
  answer = server.http().post("/api/v1/plugins/surface/tools/double?progress=true", R"({"n":3})");
  EXPECT_EQ(answer.body.find(R"({"progress":3.0,"total":3.0,"message":"doubled"})"
                             "\n"
                             R"({"ok":true,"content":[{"type":"text","text":"6 in null"}])"),
            0U)
      << answer.body;
  const auto metrics = server.http().get("/metrics").body;
  EXPECT_NE(metrics.find(R"(svc_plugin_tool_calls_total{plugin="surface",tool="double"} 2)"),
            std::string::npos);
  EXPECT_NE(metrics.find(R"(svc_plugin_tool_errors_total{plugin="surface",tool="fail"} 1)"),
            std::string::npos);
}

TEST_F(AgentsTest, EveryCallIsAnsweredWhileThePluginReloads) {
  // Each reload meets some slow call, and the quick one most moments of it. Both have their results soon enough to give them.
  constexpr int kReloads = 20;
  std::atomic<bool> done = false;
  std::atomic<int> answered = 0;
  std::vector<std::string> strange;
  std::mutex mutex;
  const auto callAgainAndAgain = [&](const std::string& body) {
    auto http = server.http();
    while (!done) {
      const auto said = text(http.post("/test/agents/call", body));
      answered += 1;
      if (said != "42 in null" && said != "paused") {
        const std::scoped_lock lock(mutex);
        strange.push_back(said);
      }
    }
  };
  {
    const std::jthread quick(callAgainAndAgain, R"({"name":"double","arguments":{"n":21}})");
    const std::jthread slow(callAgainAndAgain, R"({"name":"pause","arguments":{}})");
    for (int round = 0; round < kReloads; ++round) {
      EXPECT_EQ(server.reload("surface").status, 200);
    }
    done = true;
  }
  EXPECT_TRUE(strange.empty()) << strange.front();
  const auto tools = server.http().get("/api/v1/plugins/surface/tools").json["tools"];
  std::int64_t counted = 0;
  for (const auto& tool : tools.items()) {
    counted += tool["calls"].asInteger();
  }
  EXPECT_EQ(counted, answered);
}

TEST_F(AgentsTest, EventsReachEveryListenerAndFailuresAreCounted) {
  auto socket = server.socket();
  for (const auto* id : {"thr_1", "thr_2"}) {
    static_cast<void>(probe(
        "emit",
        std::string(R"({"name":"thread.created","payload":{"thread":{"id":")") + id + R"("}}})"));
  }
  EXPECT_TRUE(socket.awaitSignal("surface", "created", "\"thr_1\""));
  EXPECT_TRUE(socket.awaitSignal("surface", "created", "\"thr_2\""));
  const auto counted = server.awaitRecord("surface", [](const common::Json& plugin) {
    return plugin["handlerStats"]["errorCount"].asInteger() == 2;
  });
  EXPECT_EQ(counted["lastError"]["source"].asString(), "event:thread.created");
  EXPECT_EQ(counted["lastError"]["message"].asString(), "listener failed");
  EXPECT_EQ(counted["status"].asString(), "running");
}

TEST_F(AgentsTest, EachEventReachesOneLoadWhileThePluginReloads) {
  constexpr int kReloads = 4;
  const TempDir directory;
  const auto file = (directory.path() / "heard").string();
  const PluginDir plugin("listener", R"(
    import { appendFileSync } from "node:fs";
    export default (svc) => {
      svc.events.on("thread.idle", ({ thread }) => appendFileSync(")" +
                                         file + R"(", thread.id + "\n"));
    };)");
  ASSERT_EQ(server.install(plugin.path())["status"].asString(), "running");
  std::ofstream(file).close();
  std::atomic<bool> done = false;
  std::string emitted;
  {
    const std::jthread emitter([&] {
      auto http = server.http();
      for (int event = 0; !done; ++event) {
        const auto id = fmt::format("{:06}", event);
        // No more are under way than may wait for a load.
        while (!done && emitted.size() - std::filesystem::file_size(file) >=
                            limits::kHeldCalls * (id.size() + 1)) {
          std::this_thread::yield();
        }
        static_cast<void>(
            http.post("/test/agents/emit",
                      R"({"name":"thread.idle","payload":{"thread":{"id":")" + id + R"("}}})"));
        emitted += id + "\n";
      }
    });
    for (int round = 0; round < kReloads; ++round) {
      EXPECT_EQ(server.reload("listener").status, 200);
    }
    done = true;
  }
  // A reload waits for what runs.
  EXPECT_EQ(server.reload("listener").status, 200);
  std::ifstream in(file);
  EXPECT_TRUE(std::string(std::istreambuf_iterator<char>(in), {}) == emitted);
}

TEST_F(AgentsTest, HooksDecideAndAskForAnotherLook) {
  EXPECT_EQ(probe("decide", R"({"input":{"text":"yes"}})").json["kind"].asInteger(), 0);
  const auto rejected = probe("decide", R"({"input":{"text":"no"}})");
  EXPECT_EQ(rejected.json["kind"].asInteger(), 2);
  EXPECT_EQ(rejected.json["text"].asString(), "no means no");
  const auto failed = probe("decide", "{}");
  EXPECT_EQ(failed.json["kind"].asInteger(), 2);
  EXPECT_NE(failed.json["text"].asString().find("of plugin \"surface\" failed"), std::string::npos);
  EXPECT_EQ(probe("rechecked").json["rechecked"].asString(), "surface");
}

TEST_F(AgentsTest, TheSdkTellsWhenPluginsChange) {
  auto socket = server.socket();
  const PluginDir other("other", answering("1"));
  static_cast<void>(server.install(other.path()));
  EXPECT_TRUE(socket.awaitSignal("surface", "system-changed").has_value());
}

TEST_F(AgentsTest, MentionsAreOfferedSearchedAndResolved) {
  auto http = server.http();
  EXPECT_EQ(http.get("/api/v1/plugins/contributions").json["mentionProviders"].dump(),
            R"([{"pluginId":"surface","id":"numbers","label":"Numbers","triggers":["@","#"]}])");
  EXPECT_EQ(
      http.get("/api/v1/plugins/mentions/search?q=7").body,
      R"({"ok":true,"groups":[{"pluginId":"surface","providerId":"numbers","label":"Numbers",)"
      R"("items":[{"itemId":"7","title":"Number 7","subtitle":null,"icon":null}]}]})");
  EXPECT_EQ(http.get("/api/v1/plugins/mentions/search?q=throw")
                .json["groups"]
                .items()
                .at(0)["items"]
                .dump(),
            "[]");
  EXPECT_EQ(http.get("/api/v1/plugins/mentions/search?q=7&trigger=%7E").json["groups"].dump(),
            "[]");
  EXPECT_EQ(http.get("/api/v1/plugins/mentions/search?q=7&trigger=x").code(), "invalid_input");
  EXPECT_EQ(probe("resolve", R"({"pluginId":"surface","providerId":"numbers","itemId":"7"})")
                .json["resolved"]
                .dump(),
            R"({"context":"number 7","images":[]})");
}

TEST_F(AgentsTest, AProviderIdBelongsToOnePlugin) {
  const PluginDir rival("rival", R"(
export default function (svc: any) {
  svc.providers.register({ id: "surface-agent", displayName: "x", capabilities: {}, composerActions: [] });
}
)");
  std::ofstream(rival.path() / "host.ts") << "export default {};";
  std::ofstream(rival.path() / "package.json")
      << R"({"name":"svc-plugin-rival","version":"1.0.0","type":"module",)"
      << R"("svc":{"server":"server.ts","host":"host.ts"}})";
  const auto second = server.install(rival.path());
  EXPECT_EQ(second["status"].asString(), "error");
  EXPECT_NE(second["statusDetail"].asString().find(
                "provider \"surface-agent\" is declared by plugin \"surface\" already"),
            std::string::npos)
      << second["statusDetail"].dump();
  const PluginDir plain("no-host", R"(
export default function (svc: any) {
  svc.providers.register({ id: "other-agent", displayName: "x", capabilities: {}, composerActions: [] });
}
)");
  const auto without_host = server.install(plain.path());
  EXPECT_EQ(without_host["status"].asString(), "error");
  EXPECT_NE(without_host["statusDetail"].asString().find("needs a host entry"), std::string::npos)
      << without_host["statusDetail"].dump();
  // A reload declares its own again.
  EXPECT_EQ(server.reload("surface").status, 200);
}

}  // namespace
}  // namespace svc::test
