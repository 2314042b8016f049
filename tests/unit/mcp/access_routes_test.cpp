#include "access_routes.h"

#include "svc/common/limits/mcp.h"

#include "mcp_fixture.h"

namespace svc::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class AccessRoutesTest : public McpFixture {
 protected:
  static constexpr const char* kTokens = "POST /api/v1/mcp/tokens";
  common::Json calls() { return route("GET /api/v1/mcp/calls")->json()["calls"]; }
  common::Json clients() { return route("GET /api/v1/mcp/clients")->json()["clients"]; }
  std::string outcome(std::size_t index = 0) {
    return calls().items().at(index)["outcome"].asString();
  }
};

TEST_F(AccessRoutesTest, TheSecretIsShownOnce) {
  reactor_.advance(std::chrono::milliseconds(5));
  const auto made = route(kTokens, R"({"name":"desk","plugins":["todo"],"tools":["x","a"]})");
  EXPECT_EQ(made->status(), 201U);
  EXPECT_EQ(made->answer->body,
            R"({"ok":true,"token":{"id":"mct_1","name":"desk","restricted":true,)"
            R"("plugins":["todo"],"tools":["a","x"],"createdAt":5,"lastUsedAt":null},)"
            R"("secret":"svc_mcp_secret1"})");
  EXPECT_EQ(made->answer->headers.at(0).value, "no-store");
  const auto listed = route("GET /api/v1/mcp/tokens")->answer->body;
  EXPECT_THAT(listed, HasSubstr(R"("name":"desk")"));
  EXPECT_THAT(listed, Not(HasSubstr("secret1")));
  EXPECT_THAT(listed, Not(HasSubstr(store_.rows[0].hash)));
}

TEST_F(AccessRoutesTest, WhatIsWrongWithARequestIsSaid) {
  for (const char* body :
       {R"({})", R"({"name":""})", R"({"name":"a\u009b"})", R"({"name":"a\u202ez"})",
        R"({"name":5})", R"({"name":"x","plugins":"todo"})", R"({"name":"x","plugins":[5]})",
        R"({"name":"x","tools":[""]})", R"({"name":"x","tool":["a"]})", R"([])"}) {
    const auto refused = route(kTokens, body);
    EXPECT_EQ(refused->errorCode(), "invalid_input") << body;
    EXPECT_EQ(refused->status(), 400U);
  }
  EXPECT_EQ(route(kTokens, "{")->errorCode(), "invalid_json");
  EXPECT_TRUE(store_.rows.empty());
}

TEST_F(AccessRoutesTest, ATokenIsRevokedByIdOrName) {
  token("desk");
  token("chat");
  EXPECT_EQ(route("DELETE /api/v1/mcp/tokens/:token", "", {{"token", "mct_1"}})
                ->json()["token"]["name"]
                .asString(),
            "desk");
  EXPECT_EQ(route("DELETE /api/v1/mcp/tokens/:token", "", {{"token", "chat"}})->status(), 200U);
  EXPECT_EQ(route("DELETE /api/v1/mcp/tokens/:token", "", {{"token", "chat"}})->errorCode(),
            "not_found");
}

TEST_F(AccessRoutesTest, ClientsAreWhatTheySayTheyAre) {
  const auto secret = token("desk");
  old("initialize",
      R"({"protocolVersion":"2025-06-18","clientInfo":{"name":"codex","version":"0.166"}})",
      {bearer(secret), {"User-Agent", "svc-mcp"}});
  reactor_.advance(std::chrono::milliseconds(7));
  modern("server/discover");
  const auto all = clients();
  ASSERT_EQ(all.items().size(), 2U);
  EXPECT_EQ(all.items()[0]["revision"].asString(), "2026-07-28");
  EXPECT_EQ(all.items()[0]["transport"].asString(), "http");
  EXPECT_EQ(
      all.items()[1].dump(),
      R"({"id":1,"name":"codex","version":"0.166","revision":"2025-06-18","transport":"stdio",)"
      R"("token":"desk","threadId":null,"since":0,"lastSeenAt":0,"lastCallAt":null,)"
      R"("calls":0,"streams":0})");
}

TEST_F(AccessRoutesTest, AClientIsOneAsLongAsItsSession) {
  const auto hello = old("initialize", R"({"protocolVersion":"2025-11-25",)"
                                       R"("clientInfo":{"name":"qwen"}})");
  const http::Header session{"Mcp-Session-Id", hello->answer->headers.back().value};
  reactor_.advance(std::chrono::milliseconds(9));
  callAdd("", {session});
  ASSERT_EQ(clients().items().size(), 1U);
  const auto client = clients().items()[0];
  EXPECT_EQ(client["name"].asString(), "qwen");
  EXPECT_EQ(client["calls"].asInteger(), 1);
  EXPECT_EQ(client["lastCallAt"].asInteger(), 9);
  EXPECT_EQ(client["since"].asInteger(), 0);
}

TEST_F(AccessRoutesTest, WhoHasAStreamIsNotForgotten) {
  const auto listening =
      modern("subscriptions/listen", R"("notifications":{"toolsListChanged":true})");
  old("ping", "{}", {{"User-Agent", "passing/1.0"}});
  EXPECT_EQ(clients().items().size(), 2U);
  reactor_.advance(std::chrono::minutes(16));
  run();
  const auto all = clients();
  ASSERT_EQ(all.items().size(), 1U);
  EXPECT_EQ(all.items()[0]["streams"].asInteger(), 1);
  listening->disconnect();
  run();
  EXPECT_TRUE(clients().items().empty());
}

TEST_F(AccessRoutesTest, NoMoreClientsThanFitAreRemembered) {
  for (int i = 0; i < 300; ++i) {
    reactor_.advance(std::chrono::milliseconds(1));
    old("ping", "{}", {{"User-Agent", fmt::format("client{}/1", i)}});
  }
  const auto all = clients();
  ASSERT_EQ(all.items().size(), 256U);
  EXPECT_EQ(all.items().front()["name"].asString(), "client299");
  EXPECT_EQ(all.items().back()["name"].asString(), "client44");
}

TEST_F(AccessRoutesTest, CallsAreRememberedWithoutArguments) {
  source_->offers(ListKind::kTools, "sum", "calc");
  const auto secret = token("desk");
  old("tools/call", R"({"name":"sum","arguments":{"n":"private"}})",
      {bearer(secret), {"User-Agent", "codex/1"}});
  EXPECT_EQ(calls().items().at(0).dump(),
            R"({"id":1,"tool":"sum","pluginId":"calc","client":"codex","token":"desk",)"
            R"("startedAt":0,"durationMs":null,"outcome":"running"})");
  reactor_.advance(std::chrono::milliseconds(12));
  source_->answers("{}");
  run();
  EXPECT_EQ(calls().items().at(0)["durationMs"].asInteger(), 12);
  EXPECT_EQ(outcome(), "ok");
  EXPECT_EQ(counters_->stats().call_ms, 12U);
  EXPECT_THAT(route("GET /api/v1/mcp/calls")->answer->body, Not(HasSubstr("private")));
}

TEST_F(AccessRoutesTest, CallsSayHowTheyEnded) {
  callAdd();
  source_->answers("{}", true);
  run();
  EXPECT_EQ(outcome(), "failed");
  callAdd();
  source_->fails({errc::kInvalidInput, "no"});
  run();
  EXPECT_EQ(outcome(), "refused");
  const auto left = modern("tools/call", R"("name":"add")", "add");
  left->disconnect();
  source_->fails({errc::kAborted, "left"});
  run();
  EXPECT_EQ(outcome(), "cancelled");
  old("tools/call", R"({"name":"add"})", {bearer(token("desk"))});
  revoke("desk");
  source_->fails({errc::kAborted, "left"});
  run();
  EXPECT_EQ(outcome(), "revoked");
  callAdd();
  reactor_.advance(limits::kToolDetach + std::chrono::seconds(1));
  run();
  EXPECT_EQ(outcome(), "detached");
  EXPECT_TRUE(calls().items().at(0)["durationMs"].isNull());
  source_->answers("{}");
  run();
  EXPECT_EQ(outcome(), "detached");
  EXPECT_FALSE(calls().items().at(0)["durationMs"].isNull());
  callAdd();
  auto done = std::move(source_->waiting.front());
  source_->waiting.clear();
  done(Answer{.result = common::RawJson("{}"), .type = "input_required"});
  run();
  EXPECT_EQ(outcome(), "asked");
  // Only tools that there are: anything else would be text that clients choose.
  old("tools/call", R"({"name":"unknown"})");
  EXPECT_EQ(calls().items().size(), 6U);
}

TEST_F(AccessRoutesTest, OldCallsMakeRoom) {
  for (std::size_t i = 0; i < limits::kMcpHistory + 3; ++i) {
    callAdd();
    source_->answers("{}");
    run();
  }
  ASSERT_EQ(calls().items().size(), limits::kMcpHistory);
  EXPECT_EQ(calls().items().back()["id"].asInteger(), 4);
}

}  // namespace
}  // namespace svc::mcp
