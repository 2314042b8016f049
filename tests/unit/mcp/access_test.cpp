// What a bearer token opens, and what its end ends.
#include "svc/common/limits/mcp.h"

#include "mcp_fixture.h"

namespace svc::mcp {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::testing::Not;

class AccessTest : public McpFixture {
 protected:
  AccessTest() {
    source_->offers(ListKind::kTools, "todo_add", "todo");
    source_->offers(ListKind::kTools, "todo_list", "todo");
    source_->offers(ListKind::kTools, "notes_add", "notes");
    source_->offers(ListKind::kPrompts, "plan", "todo");
    source_->offers(ListKind::kPrompts, "write", "notes");
    ON_CALL(*source_, capabilities).WillByDefault([] {
      return parsed(R"({"tools":{"listChanged":true},"prompts":{}})");
    });
  }

  std::string namesIn(const std::string& method, const std::string& member,
                      const std::string& secret) {
    std::string names;
    const auto answer = old(method, "{}", {bearer(secret)})->json();
    for (const auto& item : answer["result"][member].items()) {
      names += item["name"].asString() + " ";
    }
    return names;
  }
  std::shared_ptr<RecordedExchange> call(const std::string& name, Headers more) {
    return old("tools/call", fmt::format(R"({{"name":"{}"}})", name), std::move(more));
  }
  /// "" = none.
  static std::string header(const http::Response& response, std::string_view name) {
    for (const auto& header : response.headers) {
      if (header.name == name) {
        return header.value;
      }
    }
    return {};
  }
};

TEST_F(AccessTest, NoTokenIsNeeded) { EXPECT_EQ(old("ping")->status(), 200U); }

TEST_F(AccessTest, ATokenThatIsNoneIsUnauthorized) {
  token("desk");
  for (const char* sent : {"Bearer svc_mcp_wrong", "Bearer ", "Bearer", "", "Digest x",
                           "svc_mcp_secret1", "Bearer svc_mcp_secret1 x"}) {
    for (const auto& exchange :
         {old("ping", "{}", {{"Authorization", sent}}),
          send(R"({"jsonrpc":"2.0","method":"notifications/x"})", {{"Authorization", sent}}),
          send("[", {{"Authorization", sent}})}) {
      EXPECT_EQ(exchange->status(), 401U) << sent;
      EXPECT_EQ(exchange->errorCode(), "unauthorized");
      EXPECT_THAT(header(*exchange->answer, "WWW-Authenticate"),
                  HasSubstr(R"(Bearer realm="svc", error="invalid_token", error_description=)"));
    }
  }
  EXPECT_EQ(counters_->stats().unauthorized, 21U);
  http::Request request;
  request.method = "GET";
  request.headers = {{"Accept", "text/event-stream"}, bearer("svc_mcp_wrong")};
  const auto stream = std::make_shared<RecordedExchange>(std::move(request));
  server_.call("GET /api/v1/mcp", stream);
  EXPECT_EQ(stream->status(), 401U);
}

TEST_F(AccessTest, ThePasswordOfAProxyIsNoToken) {
  token("desk");
  EXPECT_EQ(old("ping", "{}", {{"Authorization", "Basic YTpi"}})->status(), 200U);
  EXPECT_EQ(old("ping", "{}", {{"Authorization", "basic YTpi"}})->status(), 200U);
}

TEST_F(AccessTest, TheSchemeIsCaseInsensitive) {
  const auto secret = token("desk");
  for (const auto& sent : {"bearer " + secret, "BEARER  " + secret + " "}) {
    EXPECT_EQ(old("ping", "{}", {{"Authorization", sent}})->status(), 200U) << sent;
  }
  EXPECT_EQ(counters_->stats().unauthorized, 0U);
}

TEST_F(AccessTest, ListsAreThoseOfTheScope) {
  const auto everything = token("everything");
  const auto todo = token("todo", {.plugins = {"todo"}, .tools = {}});
  const auto one = token("one", {.plugins = {}, .tools = {"notes_add"}});
  const auto both = token("both", {.plugins = {"todo"}, .tools = {"notes_add"}});
  EXPECT_EQ(namesIn("tools/list", "tools", everything), "add notes_add todo_add todo_list ");
  EXPECT_EQ(namesIn("tools/list", "tools", todo), "todo_add todo_list ");
  EXPECT_EQ(namesIn("tools/list", "tools", one), "notes_add ");
  EXPECT_EQ(namesIn("tools/list", "tools", both), "notes_add todo_add todo_list ");
  EXPECT_EQ(namesIn("prompts/list", "prompts", todo), "plan ");
  EXPECT_EQ(namesIn("prompts/list", "prompts", one), "");
}

TEST_F(AccessTest, WhatIsOutsideTheScopeDoesNotExist) {
  const auto secret = token("todo", {.plugins = {"todo"}, .tools = {}});
  const auto unknown = call("gone", {bearer(secret)});
  // The same with and without an index of what is there.
  for (int round = 0; round < 2; ++round) {
    auto refused = call("notes_add", {bearer(secret)});
    auto expected = unknown->answer->body;
    expected.replace(expected.find("gone"), 4, "notes_add");
    EXPECT_EQ(refused->answer->body, expected);
    EXPECT_EQ(codeOf(*refused), rpc::kInvalidParams);
    old("tools/list");
  }
  EXPECT_TRUE(source_->requests.empty());
  call("todo_add", {bearer(secret)});
  ASSERT_EQ(source_->requests.size(), 1U);
  EXPECT_TRUE(source_->requests[0].caller.scope->plugins.contains("todo"));
}

TEST_F(AccessTest, SourcesAreToldTheScopeOfInstructions) {
  const auto secret = token("todo", {.plugins = {"todo"}, .tools = {}});
  EXPECT_CALL(*source_, instructions).WillOnce([](const Caller& caller) {
    EXPECT_FALSE(caller.sees("notes"));
    return "Do.";
  });
  old("initialize", R"({"protocolVersion":"2025-11-25"})", {bearer(secret)});
}

TEST_F(AccessTest, TheTokenOfAThreadSaysWhereCallsComeFrom) {
  const auto minted = tokens_->mint({.thread_id = "thr_1", .project_id = "prj_1"});
  old("tools/list");
  call("todo_add", {bearer(minted.secret)});
  ASSERT_EQ(source_->requests.size(), 1U);
  EXPECT_EQ(source_->requests[0].caller.thread_id, "thr_1");
  EXPECT_EQ(source_->requests[0].caller.project_id, "prj_1");
}

TEST_F(AccessTest, ASessionOfAThreadKeepsItsTools) {
  const auto minted = tokens_->mint({.thread_id = "thr_1"});
  const auto before = namesIn("tools/list", "tools", minted.secret);
  source_->lists[ListKind::kTools].clear();
  source_->offers(ListKind::kTools, "new", "todo");
  catalogue_->changed(ListKind::kTools);
  EXPECT_EQ(namesIn("tools/list", "tools", minted.secret), before);
  EXPECT_EQ(namesIn("tools/list", "tools", token("desk")), "new ");
  call("todo_add", {bearer(minted.secret)});
  ASSERT_EQ(source_->requests.size(), 1U);
  EXPECT_EQ(source_->requests[0].plugin_id, "todo");
  EXPECT_EQ(codeOf(*call("new", {bearer(minted.secret)})), rpc::kInvalidParams);
  const auto next = tokens_->mint({.thread_id = "thr_1"});
  EXPECT_EQ(namesIn("tools/list", "tools", next.secret), "new ");
}

TEST_F(AccessTest, CallsOfAThreadCanBeAbortedAndItsTokenGoesOn) {
  const auto minted = tokens_->mint({.thread_id = "thr_1", .project_id = "prj_1"});
  const auto other = tokens_->mint({.thread_id = "thr_2", .project_id = "prj_1"});
  old("tools/list");
  call("todo_add", {bearer(minted.secret)});
  call("todo_add", {bearer(other.secret)});
  ASSERT_EQ(source_->requests.size(), 2U);
  minted.abort_calls(true);
  run();
  EXPECT_TRUE(source_->requests[0].stop.stop_requested());
  EXPECT_FALSE(source_->requests[1].stop.stop_requested());
  call("todo_add", {bearer(minted.secret)});
  EXPECT_FALSE(source_->requests.at(2).stop.stop_requested());
}

TEST_F(AccessTest, RevokingEndsCallsWithAnAnswer) {
  const auto secret = token("desk");
  const auto quiet = call("todo_add", {bearer(secret)});
  const auto begun =
      old("tools/call", R"({"name":"todo_add","_meta":{"progressToken":1}})", {bearer(secret)});
  source_->requests[1].conversation->progress(1, {}, "on it");
  run();
  const auto other = call("todo_add", {bearer(token("other"))});
  const auto none = call("todo_add", {});
  revoke("desk");
  EXPECT_EQ(quiet->status(), 401U);
  EXPECT_THAT(header(*quiet->answer, "WWW-Authenticate"), HasSubstr("was revoked"));
  EXPECT_TRUE(begun->ended);
  EXPECT_EQ(events(*begun).back()["error"]["message"].asString(),
            "the token of this client was revoked");
  EXPECT_TRUE(source_->requests[0].stop.stop_requested());
  EXPECT_TRUE(source_->requests[1].stop.stop_requested());
  EXPECT_FALSE(source_->requests[2].stop.stop_requested());
  EXPECT_FALSE(source_->requests[3].stop.stop_requested());
  EXPECT_EQ(other->status() + none->status(), 0U);
  EXPECT_EQ(call("todo_add", {bearer(secret)})->status(), 401U);
}

TEST_F(AccessTest, WhatComesOfADetachedCallOfAThreadIsDelivered) {
  std::vector<LateCall> begun;
  std::vector<LateResult> late;
  auto token = tokens_->mint({.thread_id = "thr_1"});
  const auto detached = [&] {
    auto exchange = call("todo_add", {{"Authorization", "Bearer " + token.secret}});
    reactor_.advance(limits::kToolDetach + std::chrono::seconds(1));
    run();
    EXPECT_TRUE(exchange->ended);
    return exchange;
  };
  // Nobody delivers.
  EXPECT_THAT(detached()->written, HasSubstr("cannot be delivered"));
  source_->answers(R"({"content":[{"type":"text","text":"lost"}]})");
  run();
  auto listening =
      late_->onLateResult([&begun](LateCall call) { begun.push_back(std::move(call)); },
                          [&late](LateResult result) { late.push_back(std::move(result)); });
  EXPECT_THAT(detached()->written, HasSubstr("comes as a message"));
  ASSERT_EQ(begun.size(), 1U);
  EXPECT_EQ(begun[0].thread_id, "thr_1");
  EXPECT_EQ(begun[0].tool, "todo_add");
  EXPECT_EQ(surroundings_.history->calls().back()->outcome, "late");
  EXPECT_TRUE(late.empty());
  source_->answers(
      R"({"content":[{"type":"text","text":"done"},{"type":"image","data":""}],"isError":false})");
  run();
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].thread_id, "thr_1");
  EXPECT_EQ(late[0].tool, "todo_add");
  EXPECT_EQ(late[0].text, "done\n(image)");
  EXPECT_FALSE(late[0].failed);
  EXPECT_FALSE(late[0].dropped);
  EXPECT_EQ(late[0].call_id, begun[0].id);
  // One whose thread has let its agent go is aborted, and says nothing.
  detached();
  token.handle.reset();
  source_->answers(R"({"content":[]})");
  run();
  ASSERT_EQ(late.size(), 2U);
  EXPECT_TRUE(late[1].dropped);
  EXPECT_EQ(late[1].call_id, begun[1].id);
  // Nor does one of a client outside of threads.
  (void)call("todo_add", {});
  reactor_.advance(limits::kToolDetach + std::chrono::seconds(1));
  run();
  source_->answers(R"({"content":[]})");
  run();
  EXPECT_EQ(late.size(), 2U);
  EXPECT_EQ(begun.size(), 2U);
}

TEST_F(AccessTest, ACallThatWaitsForAPersonIsLetGoAtOnceWhenItsThreadGetsWhatComesOfIt) {
  auto token = tokens_->mint({.thread_id = "thr_1"});
  const auto exchange = call("todo_add", {{"Authorization", "Bearer " + token.secret}});
  source_->requests.back().conversation->letGo();
  run();
  EXPECT_FALSE(exchange->ended) << "its result would be lost";
  std::vector<LateResult> late;
  auto listening = late_->onLateResult(
      [](const LateCall&) {}, [&late](LateResult result) { late.push_back(std::move(result)); });
  source_->requests.back().conversation->letGo();
  run();
  EXPECT_THAT(exchange->answer ? exchange->answer->body : exchange->written,
              HasSubstr("todo_add is still running: it waits for the answer of a person"));
  EXPECT_EQ(counters_->stats().detached_calls, 1U);
  source_->requests.back().conversation->letGo();
  source_->answers(R"({"content":[{"type":"text","text":"blue"}],"isError":false})");
  run();
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].text, "blue");
  EXPECT_EQ(counters_->stats().detached_calls, 1U);
}

TEST_F(AccessTest, RevokingEndsADetachedCall) {
  const auto secret = token("desk");
  const auto exchange = call("todo_add", {bearer(secret)});
  reactor_.advance(limits::kToolDetach + std::chrono::seconds(1));
  run();
  ASSERT_EQ(counters_->stats().detached_calls, 1U);
  revoke("desk");
  EXPECT_TRUE(source_->requests[0].stop.stop_requested());
  EXPECT_EQ(exchange->answers, exchange->answer ? 1 : 0);
}

TEST_F(AccessTest, ACallThatIsOnItsWayWhenItsTokenEndsDoesNotStart) {
  const auto secret = token("desk");
  http::Request request;
  request.method = "POST";
  request.headers = {bearer(secret)};
  request.body = R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"todo_add"}})";
  const auto exchange = std::make_shared<RecordedExchange>(std::move(request));
  server_.call("POST /api/v1/mcp", exchange);
  revoke("desk");
  EXPECT_EQ(exchange->status(), 401U);
  EXPECT_TRUE(source_->requests.empty());
}

TEST_F(AccessTest, RevokingEndsStreams) {
  const auto secret = token("desk");
  const std::string wishes = R"("notifications":{"toolsListChanged":true})";
  const auto other = modern("subscriptions/listen", wishes);
  auto message = [&] {
    http::Request request;
    request.method = "POST";
    request.headers = {{"Accept", kBoth},
                       {"MCP-Protocol-Version", "2026-07-28"},
                       {"Mcp-Method", "subscriptions/listen"},
                       bearer(secret)};
    request.body = fmt::format(
        R"({{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{{{},{}}}}})", wishes,
        kMeta);
    return request;
  };
  const auto listening = std::make_shared<RecordedExchange>(message());
  server_.call("POST /api/v1/mcp", listening);
  run();
  http::Request get;
  get.method = "GET";
  get.headers = {{"Accept", "text/event-stream"}, {"Mcp-Session-Id", "s"}, bearer(secret)};
  const auto older = std::make_shared<RecordedExchange>(std::move(get));
  server_.call("GET /api/v1/mcp", older);
  run();
  ASSERT_EQ(counters_->stats().open_streams, 3U);
  const auto late = std::make_shared<RecordedExchange>(message());
  server_.call("POST /api/v1/mcp", late);
  revoke("desk");
  EXPECT_EQ(late->status(), 401U);
  EXPECT_TRUE(listening->ended);
  EXPECT_EQ(events(*listening).back()["result"]["resultType"].asString(), "complete");
  EXPECT_TRUE(older->ended);
  EXPECT_FALSE(other->ended);
  EXPECT_EQ(counters_->stats().open_streams, 1U);
}

TEST_F(AccessTest, NobodyElseCancelsWithTheSession) {
  const auto secret = token("desk");
  const http::Header session{"Mcp-Session-Id", "s"};
  call("todo_add", {session, bearer(secret)});
  const std::string cancel =
      R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})";
  send(cancel, {session});
  send(cancel, {session, bearer(token("other"))});
  EXPECT_FALSE(source_->requests[0].stop.stop_requested());
  send(cancel, {session, bearer(secret)});
  EXPECT_TRUE(source_->requests[0].stop.stop_requested());
}

}  // namespace
}  // namespace svc::mcp
