#include "streams.h"

#include "svc/common/limits/mcp.h"

#include "mcp_fixture.h"

namespace svc::mcp {
namespace {

using ::testing::HasSubstr;

class StreamsTest : public McpFixture {
 protected:
  std::shared_ptr<RecordedExchange> listen(const std::string& notifications) {
    return modern("subscriptions/listen", R"("notifications":)" + notifications);
  }
  std::shared_ptr<RecordedExchange> get(Headers headers = {{"Accept", "text/event-stream"}},
                                        std::string method = "GET") {
    http::Request request;
    request.method = std::move(method);
    request.headers = std::move(headers);
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("GET /api/v1/mcp", exchange);
    run();
    return exchange;
  }
  void changed(ListKind kind = ListKind::kTools) {
    catalogue_->changed(kind);
    pass(limits::kMcpChangeJoin);
  }
  void pass(std::chrono::milliseconds time) {
    run();
    reactor_.advance(time);
    run();
  }
};

TEST_F(StreamsTest, TheWishesThatCountAreAcknowledgedFirst) {
  const auto exchange = listen(
      R"({"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["x:y"]})");
  EXPECT_EQ(exchange->head->content_type, "text/event-stream");
  EXPECT_EQ(events(*exchange).at(0).dump(),
            R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",)"
            R"("params":{"notifications":{"toolsListChanged":true},)"
            R"("_meta":{"io.modelcontextprotocol/subscriptionId":1}}})");
  EXPECT_EQ(counters_->stats().open_streams, 1U);
}

TEST_F(StreamsTest, ChangesOfOneMomentAreOneMessage) {
  pass(limits::kMcpChangeJoin);
  const auto exchange = listen(R"({"toolsListChanged":true})");
  catalogue_->changed(ListKind::kTools);
  catalogue_->changed(ListKind::kTools);
  catalogue_->changed(ListKind::kPrompts);
  pass(limits::kMcpChangeJoin);
  const auto all = events(*exchange);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].dump(), R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed",)"
                           R"("params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}})");
  changed();
  EXPECT_EQ(events(*exchange).size(), 3U);
}

TEST_F(StreamsTest, NothingIsSentThatWasNotAskedFor) {
  pass(limits::kMcpChangeJoin);
  const auto exchange = listen("{}");
  changed();
  changed(ListKind::kResourceTemplates);
  catalogue_->resourceUpdated("x:y");
  pass(limits::kMcpChangeJoin);
  EXPECT_EQ(events(*exchange).size(), 1U);
}

TEST_F(StreamsTest, EveryKindHasItsMessage) {
  const auto other = std::make_shared<HandSource>(
      R"({"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true}})");
  const auto added = catalogue_->add(other);
  pass(limits::kMcpChangeJoin);
  const auto exchange = listen(
      R"({"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["x:y"]})");
  EXPECT_EQ(
      events(*exchange).at(0)["params"]["notifications"].dump(),
      R"({"promptsListChanged":true,"resourcesListChanged":true,"resourceSubscriptions":["x:y"]})");
  changed(ListKind::kPrompts);
  changed(ListKind::kResourceTemplates);
  catalogue_->resourceUpdated("x:z");
  catalogue_->resourceUpdated("x:y");
  pass(limits::kMcpChangeJoin);
  const auto all = events(*exchange);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1]["method"].asString(), "notifications/prompts/list_changed");
  EXPECT_EQ(all[2]["method"].asString(), "notifications/resources/list_changed");
  EXPECT_EQ(all[3].dump(),
            R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x:y",)"
            R"("_meta":{"io.modelcontextprotocol/subscriptionId":1}}})");
}

TEST_F(StreamsTest, WrongWishesAreRefused) {
  EXPECT_EQ(codeOf(*modern("subscriptions/listen")), rpc::kInvalidParams);
  EXPECT_EQ(codeOf(*listen("5")), rpc::kInvalidParams);
  auto uris = common::Json::array();
  for (std::size_t i = 0; i <= limits::kMcpUris; ++i) {
    uris.push("x:" + std::to_string(i));
  }
  const auto exchange =
      listen(common::Json::object().set("resourceSubscriptions", std::move(uris)).dump());
  EXPECT_THAT(exchange->json()["error"]["message"].asString(),
              HasSubstr("the limit mcpUris is 64"));
}

TEST_F(StreamsTest, AClientThatTakesNoStreamCannotListen) {
  const auto exchange =
      send(fmt::format(R"({{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{{)"
                       R"("notifications":{{}},{}}}}})",
                       kMeta),
           {{"Accept", "application/json"},
            {"MCP-Protocol-Version", "2026-07-28"},
            {"Mcp-Method", "subscriptions/listen"}});
  EXPECT_EQ(exchange->status(), 406U);
}

TEST_F(StreamsTest, StreamsShowLife) {
  const auto exchange = listen("{}");
  const auto before = exchange->written.size();
  pass(2 * limits::kMcpKeepAlive);
  EXPECT_EQ(exchange->written.substr(before), ": still here\n\n: still here\n\n");
}

TEST_F(StreamsTest, AStreamEndsWithItsClient) {
  const auto exchange = listen(R"({"toolsListChanged":true})");
  exchange->disconnect();
  run();
  EXPECT_EQ(counters_->stats().open_streams, 0U);
  const auto before = exchange->written;
  changed();
  EXPECT_EQ(exchange->written, before);
  pass(limits::kMcpKeepAlive);
  EXPECT_EQ(reactor_.pendingTimers(), 0U);
}

TEST_F(StreamsTest, TheServersEndIsAResult) {
  const auto exchange = listen("{}");
  const auto plain = get();
  streams_->close();
  EXPECT_EQ(events(*exchange).back().dump(),
            R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","_meta":{)"
            R"("io.modelcontextprotocol/serverInfo":{"name":"svc","version":"1.2.3"},)"
            R"("io.modelcontextprotocol/subscriptionId":1}}})");
  EXPECT_TRUE(exchange->ended);
  EXPECT_TRUE(plain->ended);
  EXPECT_TRUE(events(*plain).empty());
}

TEST_F(StreamsTest, AStreamThatComesAfterTheEndIsEndedAtOnce) {
  streams_->close();
  const auto late = listen("{}");
  EXPECT_TRUE(late->ended);
  EXPECT_THAT(late->written, ::testing::HasSubstr(R"("resultType":"complete")"));
  EXPECT_TRUE(get()->ended);
  EXPECT_EQ(counters_->stats().open_streams, 0U);
  streams_->reopen();
  EXPECT_FALSE(listen("{}")->ended);
}

TEST_F(StreamsTest, OlderClientsListenWithGet) {
  pass(limits::kMcpChangeJoin);
  const auto exchange = get();
  EXPECT_EQ(exchange->head->content_type, "text/event-stream");
  changed();
  EXPECT_EQ(events(*exchange).at(0).dump(),
            R"({"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}})");
}

TEST_F(StreamsTest, OfTheStreamsOfASessionOnlyTheNewestIsUsed) {
  pass(limits::kMcpChangeJoin);
  const Headers session{{"Accept", "text/event-stream"}, {"Mcp-Session-Id", "one"}};
  const auto older = get(session);
  const auto newer = get(session);
  const auto other = get();
  changed();
  EXPECT_TRUE(events(*older).empty());
  EXPECT_EQ(events(*newer).size(), 1U);
  EXPECT_EQ(events(*other).size(), 1U);
  newer->disconnect();
  changed();
  EXPECT_EQ(events(*older).size(), 1U);
}

TEST_F(StreamsTest, OtherGetsAreNotAllowed) {
  for (const auto& exchange :
       {get({{"Accept", "text/event-stream"}, {"MCP-Protocol-Version", "2026-07-28"}}), get({}),
        get({{"Accept", "text/html"}}), get({{"Accept", "text/event-stream"}}, "HEAD")}) {
    EXPECT_EQ(exchange->status(), 405U);
    EXPECT_EQ(exchange->answer->headers.at(0).value, "POST");
  }
  // Of an older revision the header says nothing.
  EXPECT_TRUE(get({{"Accept", "text/event-stream"}, {"MCP-Protocol-Version", "2024-11-05"}})
                  ->head.has_value());
}

TEST_F(StreamsTest, StreamsAreLimitedPerClientAndInAll) {
  std::vector<std::shared_ptr<RecordedExchange>> open;
  const auto client = [](std::size_t number) {
    return Headers{{"Accept", "text/event-stream"}, {"User-Agent", "c" + std::to_string(number)}};
  };
  for (std::size_t i = 0; i < limits::kMcpStreamsClient; ++i) {
    open.push_back(get(client(0)));
  }
  auto refused = get(client(0));
  EXPECT_EQ(refused->status(), 503U);
  EXPECT_THAT(refused->answer->body, HasSubstr("the limit mcpStreamsClient is 128"));
  for (std::size_t i = limits::kMcpStreamsClient; i < limits::kMcpStreams; ++i) {
    open.push_back(get(client(i)));
  }
  refused = get(client(9999));
  EXPECT_THAT(refused->answer->body, HasSubstr("the limit mcpStreams is 512"));
  refused = listen("{}");
  EXPECT_EQ(refused->status(), 503U);
  EXPECT_EQ(codeOf(*refused), rpc::kInternalError);
}

}  // namespace
}  // namespace svc::mcp
