// Forms of plugins for MCP clients outside of threads: the client sends its user to a page, the answer reaches the tool.
#include <array>

#include <Poco/Net/StreamSocket.h>
#include <gmock/gmock.h>

#include "harness/server.h"

namespace svc::test {
namespace {

constexpr auto kAsking = R"(
export default function (svc: any) {
  svc.agents.registerTool({
    name: "ask", description: "d", parameters: { type: "object" },
    execute: async (_params: unknown, { threadId, signal }: any) => {
      const request = { threadId, rendererId: "sure", title: "Sure?", payload: { count: 3 } };
      const outcome = JSON.stringify(await svc.ui.requestInput(request, { signal }));
      await svc.storage.kv.set("outcome", outcome);
      return outcome;
    },
  });
  const any = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };
  svc.rpc.register({ outcome: { input: any, output: any } }, {
    outcome: async () => (await svc.storage.kv.get("outcome")) ?? "none",
  });
  svc.agents.registerTool({
    name: "forget", description: "d", parameters: { type: "object" },
    execute: async (_params: unknown, { threadId }: any) =>
      JSON.stringify(await svc.ui.requestInput({ threadId, rendererId: "sure", title: "Sure?", payload: null })),
  });
}
)";

class McpFormsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.install(plugin.path())["status"].asString(), "running");
  }
  /// tools/call of a client of 2026-07-28; `more` are members of its params.
  common::Json call(const std::string& more = "", const std::string& tool = "ask",
                    const std::string& elicitation = R"({"url":{}})") {
    return server.http()
        .send({.method = "POST",
               .target = "/api/v1/mcp",
               .body = R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":")" +
                       tool + R"(","arguments":{"a":1},)" + more +
                       R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
                       R"("io.modelcontextprotocol/clientCapabilities":{"elicitation":)" +
                       elicitation + "}}}}",
               .headers = {{"Content-Type", "application/json"},
                           {"Accept", "application/json, text/event-stream"},
                           {"MCP-Protocol-Version", "2026-07-28"},
                           {"Mcp-Method", "tools/call"},
                           {"Mcp-Name", tool}}})
        .json;
  }
  static std::string again(const common::Json& asked, const std::string& action) {
    return R"("requestState":)" + asked["result"]["requestState"].dump() +
           R"(,"inputResponses":{"form":{"action":")" + action + R"("}},)";
  }
  static std::string formOf(const std::string& url) { return url.substr(url.rfind('/') + 1); }
  static std::string formOf(const common::Json& asked) {
    return formOf(asked["result"]["inputRequests"]["form"]["params"]["url"].asString());
  }
  static std::string textOf(const common::Json& answer) {
    const auto& content = answer["result"]["content"].items();
    return content.empty() ? answer.dump() : content[0]["text"].asString();
  }
  Answer form(const std::string& id) { return server.http().get("/api/v1/mcp/forms/" + id); }
  Answer respond(const std::string& id, const std::string& value) {
    return server.http().post("/api/v1/mcp/forms/" + id + "/respond", R"({"value":)" + value + "}");
  }

  PluginDir plugin{"asker", kAsking};
  Server server;
};

TEST_F(McpFormsTest, AClientIsAskedToComeBackAndGetsTheAnswer) {
  const auto asked = call();
  ASSERT_EQ(asked["result"]["resultType"].asString(), "input_required") << asked.dump();
  const auto& question = asked["result"]["inputRequests"]["form"];
  EXPECT_EQ(question["method"].asString(), "elicitation/create");
  EXPECT_EQ(question["params"]["mode"].asString(), "url");
  EXPECT_EQ(question["params"]["message"].asString(), "Sure?");
  const auto id = formOf(asked);
  const auto shown = form(id).json["form"];
  EXPECT_EQ(shown["pluginId"].asString(), "asker");
  EXPECT_EQ(shown["rendererId"].asString(), "sure");
  EXPECT_EQ(shown["data"].dump(), R"({"count":3})");
  EXPECT_EQ(respond(id, R"({"yes":true})").status, 200);
  EXPECT_EQ(respond(id, "1").status, 404);
  const auto answer = call(again(asked, "accept"));
  EXPECT_EQ(answer["result"]["resultType"].asString(), "complete") << answer.dump();
  EXPECT_EQ(textOf(answer), R"({"outcome":"submitted","value":{"yes":true}})");
  // Once.
  EXPECT_EQ(call(again(asked, "accept"))["error"]["code"].asInteger(), -32602);
}

TEST_F(McpFormsTest, AStateThatWasChangedIsRefused) {
  const auto asked = call();
  EXPECT_EQ(
      call(R"("requestState":"0123456789abcdef0123456789abcdef",)")["error"]["code"].asInteger(),
      -32602);
  EXPECT_EQ(call(again(asked, "accept"), "forget")["error"]["code"].asInteger(), -32602);
  EXPECT_EQ(form(formOf(asked)).status, 200);
}

TEST_F(McpFormsTest, WhoComesBackWithoutAnAnswerIsAskedAgain) {
  const auto asked = call();
  const auto repeated = call(R"("requestState":)" + asked["result"]["requestState"].dump() + ",");
  EXPECT_EQ(repeated["result"]["resultType"].asString(), "input_required");
  EXPECT_EQ(formOf(repeated), formOf(asked));
  EXPECT_EQ(textOf(call(again(repeated, "decline"))), R"({"outcome":"cancelled","reason":"user"})");
  EXPECT_EQ(form(formOf(asked)).status, 404);
}

TEST_F(McpFormsTest, AFormIsCancelledOnItsPage) {
  const auto asked = call();
  EXPECT_EQ(server.http().post("/api/v1/mcp/forms/" + formOf(asked) + "/cancel", "{}").status, 200);
  EXPECT_EQ(textOf(call(again(asked, "accept"))), R"({"outcome":"cancelled","reason":"user"})");
}

TEST_F(McpFormsTest, TheEndOfTheLoadIsTheReasonThatItsPluginHears) {
  const auto asked = call();
  ASSERT_EQ(form(formOf(asked)).status, 200);
  ASSERT_EQ(server.reload("asker").status, 200);
  EXPECT_EQ(form(formOf(asked)).status, 404);
  EXPECT_THAT(textOf(call(again(asked, "accept"))), ::testing::HasSubstr("plugin-disposed"));
  // The load that has ended writes it down; nobody waits for that.
  std::string outcome;
  EXPECT_TRUE(eventually([&] {
    outcome = server.rpc("asker", "outcome", "null").json["result"].asString();
    return outcome != "none";
  }));
  EXPECT_EQ(outcome, R"({"outcome":"cancelled","reason":"plugin-disposed"})");
}

TEST_F(McpFormsTest, AClientThatCannotBeAskedIsTold) {
  const auto answer = call("", "ask", "{}");
  EXPECT_TRUE(answer["result"]["isError"].asBool());
  EXPECT_NE(textOf(answer).find("does not declare URL elicitation"), std::string::npos)
      << textOf(answer);
}

TEST_F(McpFormsTest, AFormWithoutTheSignalOfItsCallIsRefused) {
  EXPECT_NE(textOf(call("", "forget")).find("{ signal: ctx.signal }"), std::string::npos);
}

TEST_F(McpFormsTest, AClientWithAHandshakeIsAskedInBetween) {
  const auto post = [this](const std::string& body, const std::string& session) {
    return Request{.method = "POST",
                   .target = "/api/v1/mcp",
                   .body = body,
                   .headers = {{"Content-Type", "application/json"},
                               {"Accept", "application/json, text/event-stream"},
                               {"MCP-Protocol-Version", "2025-11-25"},
                               {"Mcp-Session-Id", session}}};
  };
  const auto hello = server.http().send(
      post(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{)"
           R"("protocolVersion":"2025-11-25","capabilities":{"elicitation":{"url":{}}}}})",
           ""));
  const auto session = hello.headers.at("mcp-session-id");
  const auto message =
      post(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask"}})", session);
  Poco::Net::StreamSocket socket(Poco::Net::SocketAddress("127.0.0.1", server.port()));
  socket.setReceiveTimeout(Poco::Timespan(kDeadline.count(), 0));
  auto text = "POST /api/v1/mcp HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
              "\r\nContent-Length: " + std::to_string(message.body.size()) + "\r\n";
  for (const auto& [name, value] : message.headers) {
    text += name + ": " + value + "\r\n";
  }
  text += "\r\n" + message.body;
  socket.sendBytes(text.data(), static_cast<int>(text.size()));
  std::string seen;
  const auto await = [&](const std::string& wanted) {
    std::array<char, 4096> buffer{};
    while (seen.find(wanted) == std::string::npos) {
      const int size = socket.receiveBytes(buffer.data(), static_cast<int>(buffer.size()));
      if (size <= 0) {
        return false;
      }
      seen.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return true;
  };
  ASSERT_TRUE(await("elicitation/create")) << seen;
  ASSERT_TRUE(await("\n\n")) << seen;
  const auto data = seen.find("{\"jsonrpc\"");
  const auto asked = common::Json::parse(seen.substr(data, seen.find('\n', data) - data)).value();
  EXPECT_EQ(asked["params"]["mode"].asString(), "url");
  EXPECT_EQ(server.http()
                .send(post(R"({"jsonrpc":"2.0","id":)" + asked["id"].dump() +
                               R"(,"result":{"action":"accept"}})",
                           session))
                .status,
            202);
  EXPECT_EQ(respond(formOf(asked["params"]["url"].asString()), R"("yes")").status, 200);
  EXPECT_TRUE(await("notifications/elicitation/complete")) << seen;
  EXPECT_TRUE(await(R"({\"outcome\":\"submitted\",\"value\":\"yes\"})")) << seen;
}

}  // namespace
}  // namespace svc::test
