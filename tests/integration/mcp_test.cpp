// MCP clients on a real server: tools and commands of a real plugin, over HTTP and through `svc mcp`.
#include <sys/stat.h>

#include <array>
#include <fstream>
#include <thread>

#include <Poco/Net/StreamSocket.h>

#include "harness/server.h"

namespace svc::test {
namespace {

constexpr auto kTools = R"(
export default function (svc: any) {
  const learn = () => {
    svc.agents.registerTool({ name: "learned", description: "d", parameters: { type: "object" }, execute: () => "new" });
    return { exitCode: 0, stdout: "learned" };
  };
  svc.agents.registerTool({
    name: "greet",
    description: "Greets",
    parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"], additionalProperties: false },
    instructions: "Greet everybody.",
    presentation: { label: { pending: "Greeting", completed: "Greeted" } },
    execute: ({ name }: { name: string }, { threadId }: { threadId: string | null }) => `Hello, ${name}! (${threadId})`,
  });
  svc.agents.registerTool({
    name: "near", description: "d",
    parameters: { type: "object", properties: { region: { type: "string", "x-mcp-header": "Region" } } },
    execute: ({ region }: { region: string }) => `near ${region}`,
  });
  svc.agents.registerTool({
    name: "picture", description: "d", parameters: { type: "object" },
    execute: () => ({ content: [{ type: "text", text: "a dot" }, { type: "image", data: "AAAA", mimeType: "image/png" }] }),
  });
  svc.agents.registerTool({
    name: "broken", description: "d", parameters: { type: "object" },
    execute: () => ({ content: [{ type: "image", data: "not base64!!", mimeType: "image/png" }] }),
  });
  svc.agents.registerTool({ name: "cli_shout", description: "Not the command", parameters: {}, execute: () => "not the command" });
  svc.agents.registerTool({
    name: "fail", description: "d", parameters: { type: "object" },
    execute: () => { throw new Error("as asked"); },
  });
  svc.agents.registerTool({
    name: "die", description: "d", parameters: { type: "object" },
    execute: () => { process.exit(3); },
  });
  svc.agents.registerTool({
    name: "hang", description: "d", parameters: { type: "object" },
    execute: (_params: unknown, { signal }: { signal: AbortSignal }) => new Promise(() => {
      svc.realtime.publish("hanging");
      signal.addEventListener("abort", () => svc.realtime.publish("aborted", (signal.reason as Error).message));
    }),
  });
  svc.cli.register({
    name: "shout", summary: "Shouts", commands: [{ name: "loud", summary: "Louder", usage: "shout loud <word>" }],
    run: (argv: string[], ctx: { cwd?: string }) => argv[0] === "learn" ? learn() : argv[0] === "no"
      ? { exitCode: 3, stdout: "half", stderr: "refused" }
      : { exitCode: 0, stdout: `${argv.join(" ").toUpperCase()} in ${ctx.cwd ?? "-"}` },
  });
}
)";

constexpr auto kMeta = R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                       R"("io.modelcontextprotocol/clientCapabilities":{}})";

class McpTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto record = server.install(plugin.path());
    ASSERT_EQ(record["status"].asString(), "running") << record.dump();
  }

  Request request(const std::string& method, const std::string& params) {
    return {
        .method = "POST",
        .target = "/api/v1/mcp",
        .body = R"({"jsonrpc":"2.0","id":7,"method":")" + method + R"(","params":)" + params + "}",
        .headers = {{"Content-Type", "application/json"},
                    {"Accept", "application/json, text/event-stream"}}};
  }
  Answer ask(const std::string& method, const std::string& params = "{}") {
    return server.http().send(request(method, params));
  }
  Answer call(const std::string& name, const std::string& arguments = "{}") {
    return ask("tools/call", R"({"name":")" + name + R"(","arguments":)" + arguments + "}");
  }
  Answer modern(const std::string& method, const std::string& members = "",
                const std::string& name = "") {
    auto message = request(method, "{" + members + (members.empty() ? "" : ",") + kMeta + "}");
    message.headers["MCP-Protocol-Version"] = "2026-07-28";
    message.headers["Mcp-Method"] = method;
    if (!name.empty()) {
      message.headers["Mcp-Name"] = name;
    }
    return server.http().send(message);
  }
  /// A request whose answer the test does not read to its end.
  Poco::Net::StreamSocket begin(const Request& message) {
    Poco::Net::StreamSocket socket(Poco::Net::SocketAddress("127.0.0.1", server.port()));
    auto text = message.method + " " + message.target +
                " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                "\r\nContent-Length: " + std::to_string(message.body.size()) + "\r\n";
    for (const auto& [name, value] : message.headers) {
      text += name + ": " + value + "\r\n";
    }
    text += "\r\n" + message.body;
    socket.setReceiveTimeout(Poco::Timespan(kDeadline.count(), 0));
    socket.sendBytes(text.data(), static_cast<int>(text.size()));
    return socket;
  }
  static bool awaitText(Poco::Net::StreamSocket& socket, std::string& seen,
                        const std::string& text) {
    std::array<char, 4096> buffer{};
    while (seen.find(text) == std::string::npos) {
      const int size = socket.receiveBytes(buffer.data(), static_cast<int>(buffer.size()));
      if (size <= 0) {
        return false;
      }
      seen.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return true;
  }
  static std::string textOf(const common::Json& answer) {
    std::string all;
    for (const auto& part : answer["result"]["content"].items()) {
      all += (all.empty() ? "" : "|") + part["text"].asString();
    }
    return all;
  }

  /// Where a test feeds a program line by line.
  std::string fifo() {
    const auto path = directory.path() / "lines";
    static_cast<void>(::mkfifo(path.c_str(), 0600));
    return path.string();
  }

  TempDir directory;
  PluginDir plugin{"talker", kTools};
  Server server;
};

TEST_F(McpTest, AHandshakeToolsAndCalls) {
  const auto hello = ask("initialize", R"({"protocolVersion":"2025-06-18","capabilities":{}})");
  EXPECT_EQ(hello.json["result"]["protocolVersion"].asString(), "2025-06-18");
  EXPECT_NE(hello.json["result"]["instructions"].asString().find("greet: Greet everybody."),
            std::string::npos);
  EXPECT_EQ(hello.headers.at("mcp-session-id").find('.'), 32U);

  std::string names;
  common::Json greet;
  const auto listed = ask("tools/list");
  for (const auto& tool : listed.json["result"]["tools"].items()) {
    names += tool["name"].asString() + " ";
    greet = tool["name"].asString() == "greet" ? tool : greet;
  }
  EXPECT_EQ(names, "broken cli_shout die fail greet hang near picture ");
  EXPECT_EQ(greet["title"].asString(), "Greeting");
  EXPECT_EQ(greet["inputSchema"].dump(),
            R"({"type":"object","properties":{"name":{"type":"string"}},"required":["name"],)"
            R"("additionalProperties":false})");

  EXPECT_EQ(call("greet", R"({"name":"you"})").body,
            R"x({"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text",)x"
            R"x("text":"Hello, you! (null)"}],"isError":false}})x");
  const auto wrong = call("greet", R"({"name":5})").json;
  EXPECT_TRUE(wrong["result"]["isError"].asBool());
  EXPECT_EQ(textOf(wrong).find("Invalid arguments for tool greet: "), 0U) << textOf(wrong);
  const auto failed = call("fail").json;
  EXPECT_TRUE(failed["result"]["isError"].asBool());
  EXPECT_EQ(textOf(failed), "Tool fail failed: as asked");
  EXPECT_EQ(call("picture").json["result"]["content"].items().at(1).dump(),
            R"({"type":"image","data":"AAAA","mimeType":"image/png"})");
  EXPECT_EQ(textOf(call("broken").json),
            "Tool broken failed: data of content[0] of its result is no base64");
  EXPECT_EQ(call("gone").json["error"]["code"].asInteger(), -32602);
}

TEST_F(McpTest, RequestsWithoutAHandshake) {
  const auto discovered = modern("server/discover");
  EXPECT_EQ(discovered.json["result"]["supportedVersions"].items().at(0).asString(), "2026-07-28");
  EXPECT_EQ(discovered.headers.count("mcp-session-id"), 0U);
  const auto answer = modern("tools/call", R"("name":"greet","arguments":{"name":"x"})", "greet");
  EXPECT_EQ(answer.json["result"]["resultType"].asString(), "complete");
  EXPECT_EQ(textOf(answer.json), "Hello, x! (null)");
  EXPECT_EQ(modern("initialize").status, 404);
}

TEST_F(McpTest, ArgumentsThatAreRepeatedInHeadersMustAgree) {
  const auto missing = modern("tools/call", R"("name":"near","arguments":{"region":"eu"})", "near");
  EXPECT_EQ(missing.status, 400);
  EXPECT_EQ(missing.json["error"]["code"].asInteger(), -32020);
  const auto outcome = server.cli(
      {"mcp"}, R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"near",)"
               R"("arguments":{"region":"\u00e4"},)" +
                   std::string(kMeta) + "}}\n");
  EXPECT_NE(outcome.out.find("near \xc3\xa4"), std::string::npos) << outcome.out;
}

TEST_F(McpTest, CommandsAreTools) {
  auto answer = call("cli_shout", R"({"args":["loud","word"],"cwd":"/tmp"})").json;
  EXPECT_EQ(textOf(answer), "LOUD WORD in /tmp");
  EXPECT_FALSE(answer["result"]["isError"].asBool(true));
  answer = call("cli_shout", R"({"args":["no"]})").json;
  EXPECT_EQ(textOf(answer), "half|refused|exit code 3");
  EXPECT_TRUE(answer["result"]["isError"].asBool());
}

TEST_F(McpTest, TheGuardOfTheServerHolds) {
  auto message = request("ping", "{}");
  message.headers["Origin"] = "https://elsewhere.example";
  EXPECT_EQ(server.http().send(message).status, 403);
  message = request("ping", "{}");
  message.headers["Host"] = "evil.example";
  EXPECT_EQ(server.http().send(message).status, 403);
  message = request("ping", "{}");
  message.headers["Content-Type"] = "text/plain";
  EXPECT_EQ(server.http().send(message).status, 415);
  EXPECT_EQ(server.http().send({.method = "DELETE", .target = "/api/v1/mcp"}).status, 405);
  EXPECT_EQ(server.http().get("/api/v1/mcp").status, 405);
}

TEST_F(McpTest, APluginThatDiesInACallIsAnAnswer) {
  const auto answer = call("die").json;
  EXPECT_TRUE(answer["result"]["isError"].asBool()) << answer.dump();
  EXPECT_NE(textOf(answer), "");
}

TEST_F(McpTest, ToolsAndCommandsOfAPluginThatDoesNotRunSaySo) {
  static_cast<void>(server.http().post("/api/v1/plugins/talker/disable", ""));
  const auto expect_so = [this] {
    for (const auto* tool : {"greet", "cli_shout"}) {
      const auto answer = call(tool, R"({"args":[]})").json;
      EXPECT_TRUE(answer["result"]["isError"].asBool()) << answer.dump();
      EXPECT_EQ(textOf(answer), R"(plugin "talker" is not running (status disabled))");
    }
    EXPECT_EQ(call("never").json["error"]["code"].asInteger(), -32602);
  };
  expect_so();
  server.restart();
  expect_so();
}

TEST_F(McpTest, DisposalEndsACallWithItsReason) {
  auto socket = server.socket();
  std::jthread disabling([this, &socket] {
    if (socket.awaitSignal("talker", "hanging")) {
      static_cast<void>(server.http().post("/api/v1/plugins/talker/disable", ""));
    }
  });
  const auto answer = call("hang").json;
  EXPECT_TRUE(answer["result"]["isError"].asBool());
  EXPECT_EQ(textOf(answer), "Tool hang was aborted: plugin-disposed");
}

TEST_F(McpTest, LeavingCancelsWithoutAHandshake) {
  auto socket = server.socket();
  auto message = request("tools/call", std::string(R"({"name":"hang",)") + kMeta + "}");
  message.headers["MCP-Protocol-Version"] = "2026-07-28";
  message.headers["Mcp-Method"] = "tools/call";
  message.headers["Mcp-Name"] = "hang";
  auto caller = begin(message);
  ASSERT_TRUE(socket.awaitSignal("talker", "hanging"));
  caller.close();
  EXPECT_TRUE(socket.awaitSignal("talker", "aborted"));
}

TEST_F(McpTest, ANotificationCancelsWithOne) {
  auto socket = server.socket();
  auto message = request("tools/call", R"({"name":"hang"})");
  message.headers["Mcp-Session-Id"] = "mine";
  auto caller = begin(message);
  ASSERT_TRUE(socket.awaitSignal("talker", "hanging"));
  auto cancel = request("", "");
  cancel.body = R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})";
  cancel.headers["Mcp-Session-Id"] = "mine";
  EXPECT_EQ(server.http().send(cancel).status, 202);
  EXPECT_TRUE(socket.awaitSignal("talker", "aborted"));
}

TEST_F(McpTest, ListenersHearOfPluginsThatComeAndGo) {
  auto message =
      request("subscriptions/listen",
              std::string(R"({"notifications":{"toolsListChanged":true},)") + kMeta + "}");
  message.headers["MCP-Protocol-Version"] = "2026-07-28";
  message.headers["Mcp-Method"] = "subscriptions/listen";
  auto listener = begin(message);
  auto older = begin(
      {.method = "GET", .target = "/api/v1/mcp", .headers = {{"Accept", "text/event-stream"}}});
  std::string heard;
  std::string heard_older;
  ASSERT_TRUE(awaitText(listener, heard, "notifications/subscriptions/acknowledged"));
  ASSERT_TRUE(awaitText(older, heard_older, "text/event-stream"));
  static_cast<void>(server.http().post("/api/v1/plugins/talker/disable", ""));
  EXPECT_TRUE(awaitText(listener, heard, "notifications/tools/list_changed"));
  EXPECT_TRUE(awaitText(older, heard_older, "notifications/tools/list_changed"));
  const auto listed = ask("tools/list");
  EXPECT_EQ(listed.json["result"]["tools"].items().size(), 0U);
  const auto ended = server.stop();
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_TRUE(awaitText(listener, heard, R"("resultType":"complete")"));
}

TEST_F(McpTest, ListenersHearOfAToolThatIsRegisteredLater) {
  auto message =
      request("subscriptions/listen",
              std::string(R"({"notifications":{"toolsListChanged":true},)") + kMeta + "}");
  message.headers["MCP-Protocol-Version"] = "2026-07-28";
  message.headers["Mcp-Method"] = "subscriptions/listen";
  auto listener = begin(message);
  std::string heard;
  ASSERT_TRUE(awaitText(listener, heard, "notifications/subscriptions/acknowledged"));
  EXPECT_EQ(textOf(call("cli_shout", R"({"args":["learn"]})").json), "learned");
  EXPECT_TRUE(awaitText(listener, heard, "notifications/tools/list_changed"));
  EXPECT_EQ(textOf(call("learned").json), "new");
}

TEST_F(McpTest, NumbersAreInTheMetrics) {
  static_cast<void>(call("fail"));
  const auto metrics = server.http().get("/metrics").body;
  EXPECT_NE(metrics.find("svc_mcp_failed_calls_total 1\n"), std::string::npos);
}

TEST_F(McpTest, TheBridgeSpeaksBothWays) {
  const std::string lines =
      R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{}}})"
      "\n"
      R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
      "\n"
      R"({"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"greet","arguments":{"name":"\u00e4"}}})"
      "\n{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"greet\","
      "\"arguments\":{\"name\":\"m\"}," +
      std::string(kMeta) + "}}\n";
  const auto outcome = server.cli({"mcp"}, lines);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find(R"("protocolVersion":"2025-11-25")"), std::string::npos);
  EXPECT_NE(outcome.out.find("Hello, \xc3\xa4! (null)"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find(R"({"jsonrpc":"2.0","id":3,"result":{"resultType":"complete")"),
            std::string::npos)
      << outcome.out;
}

TEST_F(McpTest, TheBridgeCancelsByClosing) {
  auto socket = server.socket();
  // The cancellation comes when the tool runs, so the lines are fed one by one.
  Child bridge(
      {.argv = {"/bin/sh", "-c",
                "(echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
                "{\"name\":\"hang\"," +
                    std::string(kMeta) +
                    "}}'; read line; echo '{\"jsonrpc\":\"2.0\",\"method\":"
                    "\"notifications/cancelled\",\"params\":{\"requestId\":1}}'; cat) < " +
                    fifo() + " | " + SVC_TEST_SVC + " --server " + server.url() + " mcp"}});
  std::ofstream gate(fifo());
  ASSERT_TRUE(socket.awaitSignal("talker", "hanging"));
  gate << "go\n" << std::flush;
  EXPECT_TRUE(socket.awaitSignal("talker", "aborted"));
  gate.close();
  const auto outcome = bridge.wait();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->out, "");
}

TEST_F(McpTest, TheBridgeOfAnOlderClientThatEndsEndsItsCalls) {
  auto socket = server.socket();
  Child bridge(
      {.argv = {"/bin/sh", "-c",
                "(echo '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
                "{\"name\":\"hang\"}}'; cat) < " +
                    fifo() + " | " + SVC_TEST_SVC + " --server " + server.url() + " mcp"}});
  std::ofstream gate(fifo());
  ASSERT_TRUE(socket.awaitSignal("talker", "hanging"));
  gate.close();
  EXPECT_TRUE(socket.awaitSignal("talker", "aborted"));
  ASSERT_TRUE(bridge.wait());
}

TEST(McpBridgeTest, SaysWhatToDoWithoutAServer) {
  const TempDir nothing;
  const auto outcome =
      runCommand({.argv = {SVC_TEST_SVC, "--data-dir", nothing.path().string(), "mcp"},
                  .input = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}\n"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32603,)"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("svc server start"), std::string::npos);
  EXPECT_NE(outcome.err.find("svc server start"), std::string::npos);
}

}  // namespace
}  // namespace svc::test
