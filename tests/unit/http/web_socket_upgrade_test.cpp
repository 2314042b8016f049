// From the handshake to the acceptor.
#include "svc/common/limits/http.h"

#include "web_socket_fixture.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;

TEST_F(WebSocketTest, TheGuardAnswersWithHttp) {
  const auto response = ask(upgrade("/api/v1/ws", "Origin: http://evil.example\r\n"));
  EXPECT_EQ(response.status, 403);
  EXPECT_THAT(response.body, HasSubstr("forbidden_origin"));
}

TEST_F(WebSocketTest, TheAcceptorMayRefuse) {
  const auto response = ask(upgrade("/api/v1/ws?refuse=1"));
  EXPECT_EQ(response.status, 401);
  EXPECT_THAT(response.body, HasSubstr("not you"));
}

TEST_F(WebSocketTest, UnknownPathsAreNotFound) {
  EXPECT_EQ(ask(upgrade("/api/v1/other")).status, 404);
}

TEST_F(WebSocketTest, PlainRequestsAreToldToUpgrade) {
  auto outside = server_.webSocket({.pattern = "/ws"}, [this](const http::Request&) {
    return Result<std::shared_ptr<http::IWebSocketHandler>>(recorder_);
  });
  ASSERT_TRUE(outside.ok());
  handles_.push_back(std::move(outside).value());
  for (const auto* path : {"/api/v1/ws", "/ws"}) {
    const auto plain = ask(get(path));
    EXPECT_EQ(plain.status, 426);
    EXPECT_EQ(plain.headers.at("upgrade"), "websocket");
    EXPECT_THAT(plain.body, HasSubstr("WebSocket"));
  }
  EXPECT_EQ(ask(post("/api/v1/ws", "{}")).status, 404);
}

TEST_F(WebSocketTest, KeysAndExtensionsThatAreNoneAreRefused) {
  const auto handshake = [this](std::string_view key, std::string_view extensions) {
    return ask(
        get("/api/v1/ws", fmt::format("Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {}\r\n"
                                      "Sec-WebSocket-Extensions: {}\r\n",
                                      key, extensions)));
  };
  const std::string_view key = "dGhlIHNhbXBsZSBub25jZQ==";
  for (const auto& refused : {handshake("short", "a"), handshake(std::string(500, 'A'), "a"),
                              handshake(key, ";;"), handshake(key, "permessage-deflate; =")}) {
    EXPECT_EQ(refused.status, 400);
    EXPECT_FALSE(refused.headers.contains("server"));
    EXPECT_THAT(refused.body, HasSubstr("Sec-WebSocket-"));
  }
  RawClient client(server_.port());
  client.send(upgrade("/api/v1/ws", "Sec-WebSocket-Extensions: permessage-deflate\r\n"));
  const auto accepted = client.read(RawClient::Body::kNone);
  EXPECT_EQ(accepted.status, 101);
  EXPECT_EQ(accepted.headers.at("server"), "svcd");
}

TEST_F(WebSocketTest, RefusesIncompleteHandshakes) {
  EXPECT_EQ(ask(get("/api/v1/ws",
                    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"))
                .status,
            400);
  EXPECT_EQ(ask(upgrade("/api/v1/ws") + "too early").status, 400);
}

TEST_F(WebSocketTest, OtherVersionsOfTheProtocolAreNamed) {
  const auto response =
      ask(get("/api/v1/ws",
              "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
              "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"));
  EXPECT_EQ(response.status, 426);
  EXPECT_EQ(response.headers.at("sec-websocket-version"), "13");
}

TEST_F(WebSocketTest, NamesItsSubprotocolToClientsThatOfferIt) {
  auto route = server_.webSocket(
      {.pattern = "/api/v1/spoken", .subprotocol = "spoken.v1"},
      [this](const http::Request&) -> Result<std::shared_ptr<http::IWebSocketHandler>> {
        return std::shared_ptr<http::IWebSocketHandler>(recorder_);
      });
  ASSERT_TRUE(route.ok());
  const auto answered = [this](const std::string& offered) {
    Client client(server_.port());
    client.protocols_ = offered;
    EXPECT_FALSE(client.open("/api/v1/spoken"));
    const auto named = client.response_["sec-websocket-protocol"];
    return std::string(named.data(), named.size());
  };
  EXPECT_EQ(answered("other, spoken.v1"), "spoken.v1");
  EXPECT_EQ(answered("spoken.v10"), "");
  EXPECT_EQ(answered(""), "");
}

TEST_F(WebSocketTest, GoesAlongWithTheFirstSubprotocolWhenItHasNone) {
  const auto answered = [this](const std::string& offered) {
    Client client(server_.port());
    client.protocols_ = offered;
    EXPECT_FALSE(client.open("/api/v1/ws"));
    const auto named = client.response_["sec-websocket-protocol"];
    return std::string(named.data(), named.size());
  };
  EXPECT_EQ(answered("graphql-transport-ws, graphql-ws"), "graphql-transport-ws");
  EXPECT_EQ(answered("(no token)"), "");
  EXPECT_EQ(answered(""), "");
}

class AsyncAcceptorTest : public WebSocketTest {
 protected:
  using Answer = Completion<std::shared_ptr<http::IWebSocketHandler>>;

  AsyncAcceptorTest() {
    auto handle = server_.webSocketAsync(
        {.pattern = "/api/v1/async", .message_limit = 1000, .backlog_limit = 1'000'000},
        [this](const http::Request&, Answer done) {
          asked_.set_value(std::make_shared<Answer>(std::move(done)));
        });
    SVC_ASSERT(handle.ok());
    handles_.push_back(std::move(handle).value());
    answer_ = asked_.get_future();
  }
  std::shared_ptr<http::IWebSocketHandler> handler() { return recorder_; }

  std::promise<std::shared_ptr<Answer>> asked_;
  std::future<std::shared_ptr<Answer>> answer_;
};

TEST_F(AsyncAcceptorTest, AnswersLaterFromAnyThread) {
  std::jthread acceptor([this] { (*await(answer_))(handler()); });
  Client client(server_.port());
  ASSERT_FALSE(client.open("/api/v1/async"));
  client.send("hello");
  EXPECT_EQ(client.read(), "hello");
}

TEST_F(AsyncAcceptorTest, RefusesWithHttp) {
  std::jthread acceptor([this] { (*await(answer_))(Error{errc::kPluginNotRunning, "not now"}); });
  RawClient client(server_.port());
  client.send(upgrade("/api/v1/async"));
  EXPECT_EQ(client.read().status, 503);
  client.send(get("/healthz"));
  EXPECT_EQ(client.read().body, "window") << "the connection stays";
}

TEST_F(AsyncAcceptorTest, ADroppedAnswerIsARefusal) {
  std::jthread acceptor([this] { await(answer_).reset(); });
  EXPECT_EQ(ask(upgrade("/api/v1/async")).status, 503);
}

TEST_F(AsyncAcceptorTest, AHandlerWhoseConnectionIsGoneIsToldOnce) {
  RawClient client(server_.port());
  client.send(upgrade("/api/v1/async"));
  const auto answer = await(answer_);
  clock_.advance(limits::kRpcTimeout + 1s);
  EXPECT_TRUE(client.closedByServer()) << "an acceptor has a bounded time";
  (*answer)(handler());
  EXPECT_EQ(recorder_->closeCode(), 1006);
}

}  // namespace
}  // namespace svc::test
