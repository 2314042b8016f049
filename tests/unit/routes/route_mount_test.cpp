#include "route_mount.h"

#include "svc/common/limits/http.h"

#include "channel_fixture.h"
#include "workers.h"

namespace svc::routes {
namespace {

using svc::test::MockWebSocket;
using svc::test::RecordedExchange;
using ::testing::_;
using ::testing::Return;

class RouteMountTest : public ChannelTest {
 protected:
  using HandlerPtr = std::shared_ptr<http::IWebSocketHandler>;

  RouteMountTest() {
    ON_CALL(server, check).WillByDefault(Return(Status()));
    ON_CALL(server, webSocketAsync)
        .WillByDefault([this](http::WebSocketRoute route, http::AsyncWebSocketAcceptor accept) {
          socket_route = std::move(route);
          acceptor = std::move(accept);
          return Result<Handle>(Handle());
        });
    EXPECT_TRUE(mount.attach(server, 1000).ok());
    load->routes.addRoute("GET", "/a", Auth::kLocal);
    load->routes.addSocket("/live", Auth::kLocal);
  }
  std::shared_ptr<RecordedExchange> send(const std::string& method, const std::string& rest) {
    auto exchange = std::make_shared<RecordedExchange>(request(method, rest));
    server.call("* " + std::string(kMount), exchange);
    return exchange;
  }
  std::shared_ptr<std::optional<Result<HandlerPtr>>> upgrade(const std::string& rest) {
    auto answer = std::make_shared<std::optional<Result<HandlerPtr>>>();
    acceptor(request("GET", rest),
             [answer](Result<HandlerPtr> accepted) { *answer = std::move(accepted); });
    return answer;
  }

  Scratch scratch;
  ManualWorkers workers;
  http::WebSocketRoute socket_route;
  http::AsyncWebSocketAcceptor acceptor;
  RouteMount mount{std::make_shared<Admission>(
      server, loaded, loads, std::make_shared<Tokens>(scratch.path, workers, nullptr))};
};

TEST_F(RouteMountTest, StreamsBodiesAndDefersTheGuard) {
  const auto& route = server.routeOf("* " + std::string(kMount));
  EXPECT_EQ(route.guard, http::Guard::kDeferred);
  EXPECT_EQ(route.body, http::BodyMode::kStream);
  EXPECT_EQ(route.body_limit.get(), 1000U);
  EXPECT_EQ(socket_route.guard, http::Guard::kDeferred);
  EXPECT_EQ(socket_route.message_limit, limits::kPluginWsMessage);
  EXPECT_EQ(socket_route.backlog_limit, limits::kWsBacklog);
}

TEST_F(RouteMountTest, HandsRequestsToTheScript) {
  send("GET", "a");
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].source, "http:GET /a");
}

TEST_F(RouteMountTest, RefusesWithTheMethodsOfThePath) {
  const auto exchange = send("POST", "a");
  EXPECT_EQ(exchange->status(), 404U);
  EXPECT_EQ(exchange->errorCode(), "unknown_route");
  EXPECT_EQ(exchange->answer->headers.at(0).name, "allow");
  EXPECT_EQ(exchange->answer->headers.at(0).value, "GET, HEAD");
  EXPECT_TRUE(asked.empty());
}

TEST_F(RouteMountTest, AHandshakeWaitsForTheScript) {
  const auto answer = upgrade("live");
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].source, "http:WEBSOCKET /live");
  EXPECT_EQ(asked[0].invocation.function, "http.upgrade");
  EXPECT_FALSE(answer->has_value());
  asked[0].done(std::string());
  ASSERT_TRUE(answer->has_value());
  EXPECT_TRUE((*answer)->ok());
}

TEST_F(RouteMountTest, AFactoryThatFailsIsAcceptedAndClosedWith1011) {
  const auto answer = upgrade("live");
  asked[0].done(Error{errc::kHandlerError, "no handlers"});
  ASSERT_TRUE(answer->has_value() && (*answer)->ok());
  const auto wire = std::make_shared<::testing::StrictMock<MockWebSocket>>();
  EXPECT_CALL(*wire, close(1011, _));
  (*answer)->value()->onOpen(wire);
  (*answer)->value()->onClose(1011, "");
}

TEST_F(RouteMountTest, RefusesAHandshakeWithHttp) {
  EXPECT_EQ((*upgrade("a"))->error().code, errc::kUnknownRoute);
  ON_CALL(server, check).WillByDefault(Return(Error{errc::kForbiddenOrigin, "no"}));
  EXPECT_EQ((*upgrade("live"))->error().code, errc::kForbiddenOrigin);
  ON_CALL(server, check).WillByDefault(Return(Status()));
  const auto ended = upgrade("live");
  asked[0].done(Error{errc::kPluginNotRunning, "it ended meanwhile"});
  EXPECT_EQ((*ended)->error().code, errc::kPluginNotRunning);
}

}  // namespace
}  // namespace svc::routes
