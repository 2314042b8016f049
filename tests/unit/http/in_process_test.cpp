// Requests that the process makes to itself.

#include "server_fixture.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;

class InProcessTest : public ServerFixture {
 protected:
  InProcessTest() : ServerFixture({.limits = {.collected = 10}, .tick = 1ms}) {}

  Result<http::Response> dispatch(http::Request request, std::stop_token stop = {}) {
    auto promise = std::make_shared<std::promise<Result<http::Response>>>();
    auto future = promise->get_future();
    server_.dispatch(std::move(request), std::move(stop), [promise](Result<http::Response> result) {
      promise->set_value(std::move(result));
    });
    return await(future);
  }
  Result<http::Response> dispatch(std::string method, std::string target, std::string body = {}) {
    http::Request request;
    request.method = std::move(method);
    request.target = std::move(target);
    request.body = std::move(body);
    return dispatch(std::move(request));
  }
};

TEST_F(InProcessTest, ReachesTheHandlersOfTheServer) {
  route("POST", "/api/v1/things/:id", [](const http::ExchangePtr& exchange) {
    const auto& request = exchange->request();
    exchange->respond({.status = 201,
                       .body = fmt::format("{} {} {} {} {}", request.parameter("id"),
                                           request.queryParameter("a").value_or(""), request.body,
                                           request.caller_plugin, !request.request_id.empty())});
  });
  http::Request request;
  request.method = "POST";
  request.target = "/api/v1/things/x%20y?a=1";
  request.body = "{}";
  request.caller_plugin = "todo";
  const auto response = dispatch(std::move(request));
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response.value().status, 201U);
  EXPECT_EQ(response.value().body, "x y 1 {} todo true");
}

TEST_F(InProcessTest, NothingFromTheWireNamesAPlugin) {
  route("GET", "/api/v1/who", [](const http::ExchangePtr& exchange) {
    exchange->respond({.body = "[" + exchange->request().caller_plugin + "]"});
  });
  EXPECT_EQ(ask(get("/api/v1/who", "caller_plugin: todo\r\nX-Caller-Plugin: todo\r\n")).body, "[]");
}

TEST_F(InProcessTest, CollectsAnAnswerInPieces) {
  route("GET", "/api/v1/pieces", [](const http::ExchangePtr& exchange) {
    exchange->begin({.status = 202, .content_type = "text/plain"});
    exchange->write("one ");
    exchange->write("two", [](const Status& taken) { EXPECT_TRUE(taken.ok()); });
    exchange->finish();
  });
  const auto response = dispatch("GET", "/api/v1/pieces");
  ASSERT_TRUE(response.ok());
  EXPECT_EQ(response.value().status, 202U);
  EXPECT_EQ(response.value().body, "one two");
}

TEST_F(InProcessTest, AnAnswerInPiecesHasALimit) {
  route("GET", "/api/v1/pieces", [](const http::ExchangePtr& exchange) {
    exchange->begin({});
    exchange->write("0123456789");
    exchange->write("a", [](const Status& taken) { EXPECT_FALSE(taken.ok()); });
  });
  const auto response = dispatch("GET", "/api/v1/pieces");
  ASSERT_FALSE(response.ok());
  EXPECT_EQ(response.error().code, errc::kTooLarge);
  EXPECT_THAT(response.error().message, HasSubstr("10 bytes (11 bytes)"));
}

TEST_F(InProcessTest, AnswersUnknownRoutesAndOtherMethodsLikeTheWire) {
  routeEcho();
  const auto unknown = dispatch("GET", "/api/v1/nothing");
  EXPECT_EQ(unknown.value().status, 404U);
  EXPECT_THAT(unknown.value().body, HasSubstr(R"("code":"unknown_route")"));
  const auto method = dispatch("GET", "/api/v1/echo");
  EXPECT_EQ(method.value().status, 404U);
  EXPECT_EQ(method.value().headers.at(0).value, "POST");
  EXPECT_EQ(dispatch("GET", "nothing").value().status, 400U);
  EXPECT_EQ(dispatch("GET", "/window").value().status, 404U) << "the app window is for browsers";
}

TEST_F(InProcessTest, KeepsTheBodyLimitAndAsksForNoMediaType) {
  routeEcho(4);
  EXPECT_EQ(dispatch("POST", "/api/v1/echo", "1234").value().body, "1234");
  EXPECT_EQ(dispatch("POST", "/api/v1/echo", "12345").value().status, 413U);
}

TEST_F(InProcessTest, GivesAStreamedBodyInOnePiece) {
  auto handle = server_.route(
      {.method = "POST", .pattern = "/api/v1/stream", .body = http::BodyMode::kStream},
      [](const http::ExchangePtr& exchange) {
        exchange->read([exchange](Result<std::string> body) {
          exchange->read([exchange, body](const Result<std::string>& end) {
            exchange->respond({.body = "<" + body.value() + end.value() + ">"});
          });
        });
      });
  ASSERT_TRUE(handle.ok());
  EXPECT_EQ(dispatch("POST", "/api/v1/stream", "abc").value().body, "<abc>");
}

TEST_F(InProcessTest, HeadHasNoBody) {
  route("GET", "/api/v1/x",
        [](const http::ExchangePtr& exchange) { exchange->respond({.body = "x"}); });
  EXPECT_EQ(dispatch("HEAD", "/api/v1/x").value().body, "");
}

TEST_F(InProcessTest, TheCallersStopIsTheClientThatLeaves) {
  std::stop_source stop;
  route("GET", "/api/v1/x", [](const http::ExchangePtr& exchange) {
    exchange->respond({.body = exchange->disconnected().stop_requested() ? "gone" : "here"});
  });
  http::Request request;
  request.method = "GET";
  request.target = "/api/v1/x";
  EXPECT_EQ(dispatch(request, stop.get_token()).value().body, "here");
  stop.request_stop();
  EXPECT_EQ(dispatch(request, stop.get_token()).value().body, "gone");
}

TEST_F(InProcessTest, ADroppedRequestIsAborted) {
  route("GET", "/api/v1/x", [](const http::ExchangePtr&) {});
  EXPECT_EQ(dispatch("GET", "/api/v1/x").error().code, errc::kAborted);
}

TEST_F(InProcessTest, ChecksAGuardThatIsChosenAfterRouting) {
  http::Request request;
  request.method = "POST";
  request.headers = {{"host", host()}, {"content-length", "2"}};
  const auto code = [&](http::Guard guard) {
    const auto status = server_.check(guard, request);
    return status ? "ok" : status.error().code.name();
  };
  EXPECT_EQ(code(http::Guard::kLocal), "unsupported_media_type");
  EXPECT_EQ(code(http::Guard::kUpload), "ok");
  request.headers.push_back({"Content-Type", "application/json"});
  EXPECT_EQ(code(http::Guard::kLocal), "ok");
  request.headers.push_back({"Origin", "http://" + host()});
  EXPECT_EQ(code(http::Guard::kLocal), "ok");
  request.headers.push_back({"origin", "http://evil.example"});
  EXPECT_EQ(code(http::Guard::kLocal), "forbidden_origin") << "two Origin headers";
  request.headers = {{"host", "evil.example"}};
  EXPECT_EQ(code(http::Guard::kLocal), "forbidden_origin");
  EXPECT_EQ(code(http::Guard::kNone), "ok");
  request.caller_plugin = "todo";
  EXPECT_EQ(code(http::Guard::kLocal), "ok") << "a plugin is no page";
}

}  // namespace
}  // namespace svc::test
