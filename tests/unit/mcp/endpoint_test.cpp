#include "endpoint.h"

#include "svc/common/limits/http.h"
#include "svc/common/limits/mcp.h"

#include "mcp_fixture.h"

namespace svc::mcp {
namespace {

using ::testing::_;
using ::testing::HasSubstr;
using ::testing::Return;

class EndpointTest : public McpFixture {};

TEST_F(EndpointTest, EveryRouteIsGuarded) {
  for (const char* route : {"POST /api/v1/mcp", "GET /api/v1/mcp", "DELETE /api/v1/mcp"}) {
    EXPECT_EQ(server_.routeOf(route).guard, http::Guard::kLocal);
    EXPECT_EQ(server_.routeOf(route).body_limit.get(), limits::kRpcBody);
  }
  EXPECT_EQ(server_.routeCount(), 8U);  // those of access_routes too
}

TEST_F(EndpointTest, ASessionCannotBeEnded) {
  const auto exchange = std::make_shared<RecordedExchange>();
  server_.call("DELETE /api/v1/mcp", exchange);
  EXPECT_EQ(exchange->status(), 405U);
  EXPECT_EQ(exchange->answer->headers.at(0).value, "POST");
}

TEST_F(EndpointTest, AHandshakeIsAnsweredWithAVersionThereIs) {
  struct Case {
    const char* asked;
    const char* answered;
  };
  for (const auto& [asked, answered] :
       {Case{"2025-11-25", "2025-11-25"}, Case{"2025-06-18", "2025-06-18"},
        Case{"2025-03-26", "2025-03-26"}, Case{"2024-11-05", "2024-11-05"},
        Case{"2026-07-28", "2025-11-25"}, Case{"2031-01-01", "2025-11-25"}}) {
    const auto exchange =
        send(fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{)"
                         R"("protocolVersion":"{}","capabilities":{{}}}}}})",
                         asked));
    EXPECT_EQ(exchange->json()["result"]["protocolVersion"].asString(), answered);
  }
}

TEST_F(EndpointTest, AHandshakeTellsWhatThereIs) {
  ON_CALL(*source_, instructions).WillByDefault(Return("Use it well."));
  const auto exchange = old("initialize", R"({"protocolVersion":"2025-11-25"})");
  EXPECT_EQ(exchange->answer->body,
            R"({"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25",)"
            R"("capabilities":{"tools":{"listChanged":true}},)"
            R"("serverInfo":{"name":"svc","version":"1.2.3"},"instructions":"Use it well."}})");
  EXPECT_EQ(exchange->answer->content_type, "application/json");
  EXPECT_EQ(exchange->answer->headers.back().name, "Mcp-Session-Id");
  EXPECT_EQ(exchange->answer->headers.back().value.substr(0, 3), "r1.");
  EXPECT_EQ(codeOf(*old("initialize")), rpc::kInvalidParams);
}

TEST_F(EndpointTest, ASessionOfAServerThatWasStartedAgainKnowsItsClient) {
  const auto greeted = old("initialize", R"({"protocolVersion":"2025-11-25",)"
                                         R"("clientInfo":{"name":"desk","version":"1"},)"
                                         R"("capabilities":{"elicitation":{"url":{}}}})");
  const auto session = greeted->answer->headers.back().value;
  Clients next(clock_);
  const auto client = next.seen(session, {});
  EXPECT_EQ(client->name, "desk");
  EXPECT_EQ(client->version, "1");
  EXPECT_EQ(client->capabilities, R"({"elicitation":{"url":{}}})");
  for (const auto* strange : {"s", "s.", "s.!!!", "s.bm8", "s.W10", ".e30"}) {
    EXPECT_EQ(next.seen(strange, {})->capabilities, "") << strange;
  }
  const Introduction much{.name = std::string(300, 'x'),
                          .capabilities = R"({"x":")" + std::string(2000, 'x') + R"("})"};
  EXPECT_EQ(sessionFor("r9", much), "r9");
}

TEST_F(EndpointTest, APageMayReadItsSession) {
  const auto exchange =
      old("initialize", R"({"protocolVersion":"2025-11-25"})", {{"Origin", "https://app.example"}});
  EXPECT_EQ(exchange->answer->headers.back().name, "Access-Control-Expose-Headers");
  EXPECT_EQ(exchange->answer->headers.back().value, "Mcp-Session-Id");
}

TEST_F(EndpointTest, DiscoveryNeedsNoHandshake) {
  const auto exchange = modern("server/discover");
  EXPECT_EQ(
      exchange->answer->body,
      R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",)"
      R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"svc","version":"1.2.3"}},)"
      R"("supportedVersions":["2026-07-28","2025-11-25","2025-06-18","2025-03-26","2024-11-05"],)"
      R"("capabilities":{"tools":{"listChanged":true}},"ttlMs":0,"cacheScope":"private"}})");
  EXPECT_TRUE(exchange->answer->headers.size() == 1);  // no session
}

TEST_F(EndpointTest, PingIsAnEmptyResult) {
  EXPECT_EQ(old("ping")->answer->body, R"({"jsonrpc":"2.0","id":1,"result":{}})");
}

TEST_F(EndpointTest, NotificationsAndResponsesAreAccepted) {
  for (const char* body : {R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
                           R"({"jsonrpc":"2.0","method":"notifications/whatever"})",
                           R"({"jsonrpc":"2.0","id":"nobody","result":{}})"}) {
    const auto exchange = send(body);
    EXPECT_EQ(exchange->status(), 202U) << body;
    EXPECT_EQ(exchange->answer->body, "");
    EXPECT_EQ(exchange->answer->content_type, "");
  }
}

TEST_F(EndpointTest, WhatIsNoMessageGetsAnError) {
  const auto exchange = send("[");
  EXPECT_EQ(exchange->status(), 400U);
  EXPECT_EQ(codeOf(*exchange), rpc::kInvalidRequest);
  EXPECT_TRUE(exchange->json()["id"].isNull());
  EXPECT_EQ(counters_->stats().refused, 1U);
}

TEST_F(EndpointTest, ListsAreOrderedAndSaidToBePrivate) {
  source_->offers(ListKind::kTools, "aaa");
  EXPECT_EQ(old("tools/list")->answer->body,
            R"({"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"aaa"},{"name":"add"}]}})");
  EXPECT_THAT(
      modern("tools/list")->answer->body,
      HasSubstr(R"("tools":[{"name":"aaa"},{"name":"add"}],"ttlMs":0,"cacheScope":"private"}})"));
}

TEST_F(EndpointTest, LongListsComeInPages) {
  source_->lists.clear();
  const auto total = limits::kMcpPage + 10;
  for (std::size_t i = 0; i < total; ++i) {
    source_->offers(ListKind::kTools, fmt::format("tool{:04}", i));
  }
  const auto first = old("tools/list", R"({"cursor":""})")->json();
  EXPECT_EQ(first["result"]["tools"].items().size(), limits::kMcpPage);
  const auto cursor = first["result"]["nextCursor"];
  ASSERT_TRUE(cursor.isString());
  // A tool that comes or goes in between does not shift what follows.
  source_->lists[ListKind::kTools].erase(source_->lists[ListKind::kTools].begin());
  const auto second =
      old("tools/list", common::Json::object().set("cursor", cursor).dump())->json();
  ASSERT_EQ(second["result"]["tools"].items().size(), 10U);
  EXPECT_EQ(second["result"]["tools"].items()[0]["name"].asString(),
            fmt::format("tool{:04}", limits::kMcpPage));
  EXPECT_EQ(second["result"].find("nextCursor"), nullptr);
}

TEST_F(EndpointTest, ACursorOfAnotherKindIsRefused) {
  EXPECT_EQ(codeOf(*old("tools/list", R"({"cursor":"x"})")), rpc::kInvalidParams);
  EXPECT_EQ(codeOf(*old("tools/list", R"({"cursor":5})")), rpc::kInvalidParams);
}

TEST_F(EndpointTest, ListsWithoutACapabilityAreUnknown) {
  for (const char* method :
       {"prompts/list", "resources/list", "resources/templates/list", "completion/complete"}) {
    EXPECT_EQ(codeOf(*old(method)), rpc::kMethodNotFound) << method;
    EXPECT_EQ(modern(method)->status(), 404U) << method;
  }
  EXPECT_EQ(codeOf(*old("prompts/get", R"({"name":"x"})")), rpc::kMethodNotFound);
  EXPECT_EQ(codeOf(*old("resources/read", R"({"uri":"x:"})")), rpc::kMethodNotFound);
}

TEST_F(EndpointTest, AToolIsCalledWithWhatTheClientSent) {
  const auto exchange = callAdd();
  ASSERT_EQ(source_->requests.size(), 1U);
  const auto& request = source_->requests[0];
  EXPECT_EQ(request.method, "tools/call");
  EXPECT_EQ(request.key, "add");
  EXPECT_EQ(request.params.text(), R"({"name":"add","arguments":{"n":1},"_meta":{}})");
  EXPECT_FALSE(request.modern);
  source_->answers(R"({"content":[],"isError":false})");
  run();
  EXPECT_EQ(exchange->answer->body,
            R"({"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":false}})");
  EXPECT_EQ(counters_->stats().calls, 1U);
  EXPECT_EQ(counters_->stats().failed_calls, 0U);
}

TEST_F(EndpointTest, AModernResultSaysItsType) {
  const auto exchange = modern("tools/call", R"("name":"add")", "add");
  EXPECT_TRUE(source_->requests.at(0).modern);
  EXPECT_EQ(source_->requests.at(0).capabilities.text(), "{}");
  source_->answers(R"({"content":[]})", true);
  run();
  EXPECT_EQ(exchange->answer->body,
            R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete",)"
            R"("_meta":{"io.modelcontextprotocol/serverInfo":{"name":"svc","version":"1.2.3"}},)"
            R"("content":[]}})");
  EXPECT_EQ(counters_->stats().failed_calls, 1U);
}

TEST_F(EndpointTest, AKnownToolIsCalledWithoutTheMainThread) {
  callAdd();
  source_->answers("{}");
  run();
  EXPECT_CALL(*source_, list).Times(0);
  callAdd();
  EXPECT_EQ(source_->requests.size(), 2U);
}

TEST_F(EndpointTest, AChangedListIsLookedAtAnew) {
  callAdd();
  source_->answers("{}");
  source_->lists.clear();
  catalogue_->changed(ListKind::kTools);
  run();
  EXPECT_EQ(codeOf(*callAdd()), rpc::kInvalidParams);
}

TEST_F(EndpointTest, UnknownNamesAreErrorsOfTheRequest) {
  auto exchange = old("tools/call", R"({"name":"gone"})");
  EXPECT_EQ(exchange->status(), 200U);
  EXPECT_EQ(
      exchange->answer->body,
      R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"there is no tool \"gone\""}})");
  EXPECT_EQ(codeOf(*old("tools/call")), rpc::kInvalidParams);
  EXPECT_EQ(codeOf(*old("tools/call", R"({"name":5})")), rpc::kInvalidParams);
}

TEST_F(EndpointTest, WhatIsBeingLoadedIsWaitedFor) {
  settled_ = false;
  const auto called = old("tools/call", R"({"name":"late"})");
  const auto listed = old("tools/list");
  const auto greeted = old("initialize", R"({"protocolVersion":"2025-11-25"})");
  EXPECT_FALSE(called->answer || listed->answer || greeted->answer);
  source_->offers(ListKind::kTools, "late");
  catalogue_->changed(ListKind::kTools);
  settled_ = true;
  for (const auto& each : std::exchange(waiting_, {})) {
    (*each)({});
  }
  run();
  EXPECT_EQ(source_->requests.size(), 1U);
  EXPECT_NE(listed->answer->body.find("late"), std::string::npos);
  EXPECT_EQ(greeted->status(), 200U);
}

TEST_F(EndpointTest, AToolWhosePluginDoesNotRunSaysWhyAsAResult) {
  source_->offers(ListKind::kTools, "echo", "probe");
  catalogue_->readTools();
  source_->lists.clear();
  catalogue_->changed(ListKind::kTools);
  catalogue_->readTools();
  plugins_.emplace("probe", Error{errc::kPluginNotRunning, "plugin \"probe\" is not running"});
  const auto said = [](const RecordedExchange& exchange) {
    const auto result = exchange.json()["result"];
    EXPECT_TRUE(result["isError"].asBool()) << exchange.answer->body;
    return result["content"].items().at(0)["text"].asString();
  };
  EXPECT_EQ(said(*old("tools/call", R"({"name":"echo"})")), "plugin \"probe\" is not running");
  EXPECT_EQ(said(*modern("tools/call", R"("name":"echo")", "echo")),
            "plugin \"probe\" is not running");
  // Nobody has seen its command, whose tool has a name that says the plugin.
  EXPECT_EQ(said(*old("tools/call", R"({"name":"cli_probe"})")), "plugin \"probe\" is not running");
  EXPECT_EQ(said(*old("tools/call", R"({"name":"cli_todo_probe"})")),
            "plugin \"probe\" is not running");
  EXPECT_EQ(counters_->stats().failed_calls, 4U);
  EXPECT_EQ(counters_->stats().refused, 0U);
}

TEST_F(EndpointTest, AToolThatItsPluginHasNoMoreIsUnknown) {
  source_->offers(ListKind::kTools, "echo", "probe");
  catalogue_->readTools();
  const auto is_unknown = [this] {
    return codeOf(*old("tools/call", R"({"name":"echo"})")) == rpc::kInvalidParams;
  };
  source_->lists.clear();
  catalogue_->changed(ListKind::kTools);
  EXPECT_TRUE(is_unknown());  // it was removed
  plugins_.emplace("probe", Status());
  EXPECT_TRUE(is_unknown());
  source_->offers(ListKind::kTools, "other", "probe");
  catalogue_->readTools();
  plugins_.at("probe") = Error{errc::kPluginNotRunning, "plugin \"probe\" is not running"};
  EXPECT_TRUE(is_unknown());
}

TEST_F(EndpointTest, ACallerWithAScopeHearsOfItsPluginsAlone) {
  source_->offers(ListKind::kTools, "echo", "probe");
  catalogue_->readTools();
  source_->lists.clear();
  catalogue_->changed(ListKind::kTools);
  plugins_.emplace("probe", Error{errc::kPluginNotRunning, "plugin \"probe\" is not running"});
  loading_ = {"probe"};
  const auto other = bearer(token("other", {.plugins = {"todo"}, .tools = {}}));
  const auto own = bearer(token("own", {.plugins = {}, .tools = {"echo"}}));
  EXPECT_EQ(codeOf(*old("tools/call", R"({"name":"echo"})", {other})), rpc::kInvalidParams);
  EXPECT_TRUE(old("tools/call", R"({"name":"echo"})", {own})->json()["result"]["isError"].asBool());
}

TEST_F(EndpointTest, AnUnknownToolMayBeOfAPluginThatIsStillBeingLoaded) {
  loading_ = {"slow", "slower"};
  const auto result = old("tools/call", R"({"name":"late"})")->json()["result"];
  EXPECT_TRUE(result["isError"].asBool());
  EXPECT_EQ(result["content"].items().at(0)["text"].asString(),
            "There is no tool late so far, and plugins are still being loaded: slow, slower. "
            "Call it again later.");
}

TEST_F(EndpointTest, EveryAnswerWithAnErrorIsCounted) {
  old("tools/call", R"({"name":"gone"})");
  old("tools/list", R"({"cursor":"x"})");
  old("resources/read", R"({"uri":"x:y"})");
  old("nothing");
  send("[");
  modern("tools/call", R"("name":"add")", "sub");  // the header says something else
  EXPECT_EQ(counters_->stats().refused, 6U);
}

TEST_F(EndpointTest, AnUnknownResourceIsNamedInTheData) {
  const auto other = std::make_shared<HandSource>(R"({"resources":{},"prompts":{}})");
  const auto added = catalogue_->add(other);
  auto exchange = old("resources/read", R"({"uri":"x:y"})");
  EXPECT_EQ(codeOf(*exchange), rpc::kResourceNotFound);
  EXPECT_EQ(exchange->json()["error"]["data"]["uri"].asString(), "x:y");
  exchange = modern("resources/read", R"("uri":"x:y")", "x:y");
  EXPECT_EQ(codeOf(*exchange), rpc::kInvalidParams);
  EXPECT_EQ(exchange->json()["error"]["data"]["uri"].asString(), "x:y");
  EXPECT_EQ(codeOf(*old("prompts/get", R"({"name":"x"})")), rpc::kInvalidParams);
}

TEST_F(EndpointTest, ResourcesOfTemplatesAreReadFromWhoTakesThem) {
  const auto other = std::make_shared<HandSource>(R"({"resources":{}})");
  const auto added = catalogue_->add(other);
  ON_CALL(*other, takes(std::string_view("resources/read"), std::string_view("x:7")))
      .WillByDefault(Return(true));
  const auto exchange = modern("resources/read", R"("uri":"x:7")", "x:7");
  other->answers(R"({"contents":[]})");
  run();
  EXPECT_THAT(exchange->answer->body,
              HasSubstr(R"("contents":[],"ttlMs":0,"cacheScope":"private"}})"));
}

TEST_F(EndpointTest, ErrorsOfSourcesHaveTheirCodes) {
  struct Case {
    Error error;
    int code;
    unsigned modern_status;
  };
  for (const auto& [error, code, status] : {
           Case{{errc::kInvalidInput, "m"}, rpc::kInvalidParams, 200U},
           Case{{errc::kInvalidArgument, "m"}, rpc::kInvalidParams, 200U},
           Case{{errc::kNotFound, "m"}, rpc::kInvalidParams, 200U},
           Case{{kMissingCapability, "m", R"({"requiredCapabilities":{"sampling":{}}})"},
                rpc::kMissingCapability,
                400U},
           Case{{errc::kInternal, "m"}, rpc::kInternalError, 200U},
       }) {
    const auto exchange = modern("tools/call", R"("name":"add")", "add");
    source_->fails(error);
    run();
    EXPECT_EQ(codeOf(*exchange), code);
    EXPECT_EQ(exchange->status(), status);
    EXPECT_EQ(exchange->json()["id"].asInteger(), 1);
    EXPECT_EQ(exchange->json()["error"]["data"].dump(),
              error.details.empty() ? "null" : error.details);
  }
}

TEST_F(EndpointTest, TooManyOpenRequestsAreRefused) {
  std::vector<std::shared_ptr<RecordedExchange>> open;
  for (std::size_t i = 0; i < limits::kMcpCalls; ++i) {
    open.push_back(callAdd());
  }
  const auto exchange = callAdd();
  EXPECT_EQ(exchange->status(), 503U);
  EXPECT_THAT(exchange->json()["error"]["message"].asString(),
              HasSubstr("the limit mcpCalls is 1024"));
  EXPECT_EQ(exchange->answer->headers.back().name, "Retry-After");
  source_->waiting.clear();
  run();
}

}  // namespace
}  // namespace svc::mcp
