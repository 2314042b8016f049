// Tokens of MCP clients on a real server: what they open, what their end ends, what survives a restart.
#include <thread>

#include "harness/server.h"

namespace svc::test {
namespace {

constexpr auto kTodo = R"(
export default function (svc: any) {
  for (const name of ["todo_add", "todo_hang"]) {
    svc.agents.registerTool({
      name, description: "d", parameters: { type: "object" }, instructions: `Use ${name}.`,
      execute: (_params: unknown, { signal }: { signal: AbortSignal }) => name === "todo_add" ? "added" : new Promise(() => {
        svc.realtime.publish("hanging");
        signal.addEventListener("abort", () => svc.realtime.publish("aborted"));
      }),
    });
  }
  svc.cli.register({ name: "todo", summary: "Todos", run: () => ({ exitCode: 0, stdout: "done" }) });
}
)";
constexpr auto kNotes = R"(
export default function (svc: any) {
  svc.agents.registerTool({
    name: "notes_add", description: "d", parameters: { type: "object" }, instructions: "Use notes.", execute: () => "noted",
  });
}
)";

class McpAccessTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.install(todo.path())["status"].asString(), "running");
    ASSERT_EQ(server.install(notes.path())["status"].asString(), "running");
  }
  std::string token(const std::string& body) {
    const auto made = server.http().post("/api/v1/mcp/tokens", body);
    EXPECT_EQ(made.status, 201) << made.body;
    return made.json["secret"].asString();
  }
  Request message(const std::string& secret, const std::string& method,
                  const std::string& params = "{}") {
    return {
        .method = "POST",
        .target = "/api/v1/mcp",
        .body = R"({"jsonrpc":"2.0","id":7,"method":")" + method + R"(","params":)" + params + "}",
        .headers = {{"Content-Type", "application/json"},
                    {"Accept", "application/json, text/event-stream"},
                    {"Authorization", "Bearer " + secret}}};
  }
  Answer ask(const std::string& secret, const std::string& method,
             const std::string& params = "{}") {
    return server.http().send(message(secret, method, params));
  }
  std::string toolsOf(const std::string& secret) {
    std::string names;
    const auto listed = ask(secret, "tools/list");
    for (const auto& tool : listed.json["result"]["tools"].items()) {
      names += tool["name"].asString() + " ";
    }
    return names;
  }

  PluginDir todo{"todo", kTodo};
  PluginDir notes{"notes", kNotes};
  Server server;
};

TEST_F(McpAccessTest, ATokenSeesAndCallsItsScope) {
  const auto todos = token(R"({"name":"todos","plugins":["todo"]})");
  const auto one = token(R"({"name":"one","tools":["notes_add"]})");
  EXPECT_EQ(toolsOf(token(R"({"name":"all"})")), "cli_todo notes_add todo_add todo_hang ");
  EXPECT_EQ(toolsOf(todos), "cli_todo todo_add todo_hang ");
  EXPECT_EQ(toolsOf(one), "notes_add ");
  EXPECT_EQ(ask(todos, "tools/call", R"({"name":"todo_add"})").json["result"]["isError"].dump(),
            "false");
  EXPECT_EQ(ask(todos, "tools/call", R"({"name":"notes_add"})").json["error"]["message"].asString(),
            R"(there is no tool "notes_add")");
  EXPECT_EQ(ask(one, "tools/call", R"({"name":"cli_todo","arguments":{"args":[]}})")
                .json["error"]["code"]
                .asInteger(),
            -32602);
  const auto hello = ask(one, "initialize", R"({"protocolVersion":"2025-11-25"})");
  EXPECT_EQ(hello.json["result"]["instructions"].asString(), "notes_add: Use notes.");
}

TEST_F(McpAccessTest, AWrongTokenIsToldSoAndSentNowhere) {
  const auto refused = ask("svc_mcp_0000", "ping");
  EXPECT_EQ(refused.status, 401);
  EXPECT_EQ(refused.json["error"]["code"].asString(), "unauthorized");
  EXPECT_EQ(refused.headers.at("www-authenticate").find("Bearer realm=\"svc\""), 0U);
  EXPECT_EQ(refused.headers.at("www-authenticate").find("resource_metadata"), std::string::npos);
  for (const char* path :
       {"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/api/v1/mcp",
        "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"}) {
    EXPECT_EQ(server.http().get(path).status, 404) << path;
  }
}

TEST_F(McpAccessTest, RevokingEndsARunningCall) {
  const auto secret = token(R"({"name":"desk"})");
  auto socket = server.socket();
  std::jthread revoking([this, &socket] {
    if (socket.awaitSignal("todo", "hanging")) {
      EXPECT_EQ(
          server.http().send({.method = "DELETE", .target = "/api/v1/mcp/tokens/desk"}).status,
          200);
    }
  });
  EXPECT_EQ(ask(secret, "tools/call", R"({"name":"todo_hang"})").status, 401);
  revoking.join();
  EXPECT_TRUE(socket.awaitSignal("todo", "aborted"));
  EXPECT_EQ(ask(secret, "ping").status, 401);
  const auto calls = server.http().get("/api/v1/mcp/calls").json["calls"];
  EXPECT_EQ(calls.items().at(0)["outcome"].asString(), "revoked");
  EXPECT_EQ(calls.items().at(0)["pluginId"].asString(), "todo");
}

TEST_F(McpAccessTest, TokensOutliveTheServer) {
  const auto kept = token(R"({"name":"kept","plugins":["todo"]})");
  const auto gone = token(R"({"name":"gone"})");
  ask(kept, "ping");
  EXPECT_EQ(server.http().send({.method = "DELETE", .target = "/api/v1/mcp/tokens/gone"}).status,
            200);
  server.restart();
  // The server is ready before its plugins are.
  server.awaitRecord(
      "todo", [](const common::Json& record) { return record["status"].asString() == "running"; });
  EXPECT_EQ(toolsOf(kept), "cli_todo todo_add todo_hang ");
  EXPECT_EQ(ask(gone, "ping").status, 401);
  const auto tokens = server.http().get("/api/v1/mcp/tokens");
  ASSERT_EQ(tokens.json["tokens"].items().size(), 1U) << tokens.body;
  EXPECT_EQ(tokens.json["tokens"].items()[0]["name"].asString(), "kept");
  EXPECT_TRUE(tokens.json["tokens"].items()[0]["lastUsedAt"].isInteger());
  EXPECT_EQ(server.http()
                .post("/api/v1/mcp/tokens", R"({"name":"kept"})")
                .json["error"]["code"]
                .asString(),
            "conflict");
}

}  // namespace
}  // namespace svc::test
