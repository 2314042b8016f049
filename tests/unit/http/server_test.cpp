// The server over real sockets: requests, answers, and who may call.
#include "server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>

#include <filesystem>
#include <string>

#include "request_parser.h"
#include "server_fixture.h"

namespace svc::test {
namespace {

using http::ExchangePtr;
using ::testing::HasSubstr;

class ServerTest : public ServerFixture {
 protected:
  using ServerFixture::ServerFixture;
};

TEST_F(ServerTest, AnswersWithTheHandlersResponse) {
  routeEcho();
  const auto response = ask(post("/api/v1/echo", "{\"a\":1}"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "{\"a\":1}");
  EXPECT_EQ(response.headers.at("content-type"), "application/json; charset=utf-8");
}

TEST_F(ServerTest, ItsSocketsAreNotInheritedByChildProcesses) {
  routeEcho();
  RawClient client(server_.port());
  client.send(post("/api/v1/echo", "1"));
  ASSERT_EQ(client.read().status, 200);
  std::size_t own = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    const int descriptor = std::stoi(entry.path().filename().string());
    sockaddr_in address{};
    socklen_t size = sizeof(address);
    if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size) == 0 &&
        address.sin_family == AF_INET && ntohs(address.sin_port) == server_.port()) {
      ++own;
      EXPECT_EQ(::fcntl(descriptor, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC) << descriptor;
    }
  }
  EXPECT_EQ(own, 2U) << "the listening one and the client's";
}

TEST_F(ServerTest, KeepsAValidRequestIdAndReplacesOthers) {
  routeEcho();
  EXPECT_EQ(ask(post("/api/v1/echo", "1", "X-Request-Id: abc.1\r\n")).headers.at("x-request-id"),
            "abc.1");
  const auto replaced =
      ask(post("/api/v1/echo", "1", "X-Request-Id: a b\r\n")).headers.at("x-request-id");
  EXPECT_TRUE(http::isValidRequestId(replaced)) << replaced;
}

TEST_F(ServerTest, TheHandlerSeesTheWholeRequest) {
  std::promise<void> seen;
  route("GET", "/api/v1/plugins/:id/*", [&](const ExchangePtr& exchange) {
    const auto& request = exchange->request();
    EXPECT_EQ(request.method, "GET");
    EXPECT_EQ(request.path, "/api/v1/plugins/a%20b/x/y");
    EXPECT_EQ(request.parameter("id"), "a b");
    EXPECT_EQ(request.parameter("*"), "x/y");
    EXPECT_EQ(request.queryParameter("q"), "1 2");
    EXPECT_EQ(request.peer_address, "127.0.0.1");
    EXPECT_EQ(request.request_id, "my-id");
    exchange->respond({});
    seen.set_value();
  });
  EXPECT_EQ(ask(get("/api/v1/plugins/a%20b/x/y?q=1+2", "X-Request-Id: my-id\r\n")).status, 200);
  auto future = seen.get_future();
  await(future);
}

TEST_F(ServerTest, KeepsTheConnection) {
  routeEcho();
  RawClient client(server_.port());
  for (int i = 0; i < 3; ++i) {
    client.send(post("/api/v1/echo", std::to_string(i)));
    EXPECT_EQ(client.read().body, std::to_string(i));
  }
}

TEST_F(ServerTest, AnswersPipelinedRequestsInOrder) {
  routeEcho();
  std::string requests;
  for (int i = 0; i < 500; ++i) {
    requests += post("/api/v1/echo", std::to_string(i));
  }
  RawClient client(server_.port());
  client.send(requests);
  for (int i = 0; i < 500; ++i) {
    ASSERT_EQ(client.read().body, std::to_string(i));
  }
}

TEST_F(ServerTest, PipelinedRequestsWaitForASlowAnswer) {
  auto held = routeHeld();
  routeEcho();
  RawClient client(server_.port());
  client.send(get("/api/v1/held") + post("/api/v1/echo", "second"));
  await(held)->respond({.body = "first"});
  EXPECT_EQ(client.read().body, "first");
  EXPECT_EQ(client.read().body, "second");
}

TEST_F(ServerTest, AClientThatDoesNotReadItsPipelinedAnswersLosesNone) {
  const std::string large(200'000, 'x');
  route("GET", "/api/v1/large",
        [&](const ExchangePtr& exchange) { exchange->respond({.body = large}); });
  std::string requests;
  for (int i = 0; i < 40; ++i) {
    requests += get("/api/v1/large");
  }
  RawClient client(server_.port(), 4096);
  client.send(requests);
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(client.read().body.size(), large.size()) << i;
  }
}

TEST_F(ServerTest, TakesChunkedBodies) {
  routeEcho();
  const auto response =
      ask(fmt::format("POST /api/v1/echo HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
                      host()));
  EXPECT_EQ(response.body, "abcde");
}

TEST_F(ServerTest, AsksForTheBodyWhenTheClientWaits) {
  routeEcho();
  RawClient client(server_.port());
  client.send(
      fmt::format("POST /api/v1/echo HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
                  "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n",
                  host()));
  EXPECT_EQ(client.read().status, 100);
  client.send("{}");
  EXPECT_EQ(client.read().body, "{}");
}

TEST_F(ServerTest, RefusesAWaitingClientWithoutAskingForTheBody) {
  RawClient client(server_.port());
  client.send(
      fmt::format("POST /api/v1/nothing HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
                  "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n",
                  host()));
  EXPECT_EQ(client.read().status, 404);
  EXPECT_TRUE(client.closedByServer());
}

TEST_F(ServerTest, RefusesLengthAndTransferEncodingTogether) {
  routeEcho();
  RawClient client(server_.port());
  client.send(
      fmt::format("POST /api/v1/echo HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
                  "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                  host()));
  const auto response = client.read();
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("\"ok\":false"));
  EXPECT_TRUE(client.closedByServer());
}

TEST_F(ServerTest, MalformedRequestsGetAnEnvelopeAndTheConnectionEnds) {
  RawClient client(server_.port());
  client.send("nonsense\r\n\r\n");
  const auto response = client.read();
  EXPECT_EQ(response.status, 400);
  EXPECT_THAT(response.body, HasSubstr("\"code\":\"invalid_input\""));
  EXPECT_FALSE(response.headers.at("x-request-id").empty());
  EXPECT_TRUE(client.closedByServer());
}

TEST_F(ServerTest, RefusesABodyTooLargeBeforeReadingIt) {
  routeEcho(10);
  RawClient client(server_.port());
  client.send(
      fmt::format("POST /api/v1/echo HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
                  "Content-Length: 999999999\r\n\r\n",
                  host()));
  const auto response = client.read();
  EXPECT_EQ(response.status, 413);
  EXPECT_THAT(response.body, HasSubstr("larger than 10 bytes (999999999 bytes)"));
  EXPECT_TRUE(client.closedByServer());
}

TEST_F(ServerTest, TheAnswerToABodyTooLargeReachesAClientThatIsStillSending) {
  routeEcho(10);
  RawClient client(server_.port());
  const std::string body(500'000, 'x');
  client.send(post("/api/v1/echo", body));
  EXPECT_EQ(client.read().status, 413);
}

TEST_F(ServerTest, RefusesChunksBeyondTheLimit) {
  routeEcho(4);
  const auto response =
      ask(fmt::format("POST /api/v1/echo HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
                      "Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
                      host()));
  EXPECT_EQ(response.status, 413);
  EXPECT_THAT(response.body, HasSubstr("\"code\":\"too_large\""));
}

TEST_F(ServerTest, RefusesOtherMediaTypesAndKeepsTheConnection) {
  routeEcho();
  RawClient client(server_.port());
  client.send(
      fmt::format("POST /api/v1/echo HTTP/1.1\r\nHost: {}\r\nContent-Type: "
                  "text/plain\r\nContent-Length: 2\r\n\r\n{{}}",
                  host()));
  EXPECT_EQ(client.read().status, 415);
  client.send(post("/api/v1/echo", "{}"));
  EXPECT_EQ(client.read().status, 200);
}

TEST_F(ServerTest, RefusesForeignHostsAndOrigins) {
  routeEcho();
  EXPECT_EQ(ask("GET /api/v1/anything HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 403);
  const auto response = ask(post("/api/v1/echo", "1", "Origin: http://evil.example\r\n"));
  EXPECT_EQ(response.status, 403);
  EXPECT_THAT(response.body, HasSubstr("\"code\":\"forbidden_origin\""));
  EXPECT_FALSE(response.headers.contains("access-control-allow-origin"));
  EXPECT_EQ(ask(post("/api/v1/echo", "1", "Origin: null\r\n")).status, 403);
  EXPECT_EQ(ask(post("/api/v1/echo", "1", fmt::format("Origin: http://{}\r\n", host()))).status,
            200);
}

TEST_F(ServerTest, UnguardedRoutesTakeAnyHost) {
  route(
      "GET", "/healthz", [](const ExchangePtr& exchange) { exchange->respond({.body = "ok"}); },
      http::Guard::kNone);
  EXPECT_EQ(ask("GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 200);
}

TEST_F(ServerTest, HeadAnswersLikeGetWithoutABody) {
  route("GET", "/api/v1/a",
        [](const ExchangePtr& exchange) { exchange->respond({.body = "12345"}); });
  RawClient client(server_.port());
  client.send(fmt::format("HEAD /api/v1/a HTTP/1.1\r\nHost: {}\r\n\r\n", host()) +
              get("/api/v1/a"));
  const auto response = client.read(RawClient::Body::kNone);
  EXPECT_EQ(response.headers.at("content-length"), "5");
  EXPECT_EQ(client.read().body, "12345");
}

TEST_F(ServerTest, UnknownPathsOfTheApiAreUnknownRoutes) {
  const auto response = ask(get("/api/v1/nothing"));
  EXPECT_EQ(response.status, 404);
  EXPECT_THAT(response.body, HasSubstr("\"code\":\"unknown_route\""));
}

TEST_F(ServerTest, UnknownPathsElsewhereShowTheWindow) {
  EXPECT_EQ(ask(get("/plugins/todo/page")).body, "window");
  EXPECT_EQ(ask(post("/plugins/todo/page", "{}")).status, 404);
  EXPECT_EQ(ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").status, 403);
}

TEST_F(ServerTest, AnotherMethodIsToldWhatThePathTakes) {
  routeEcho();
  const auto response = ask(get("/api/v1/echo"));
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.headers.at("allow"), "POST");
}

TEST_F(ServerTest, ReleasedRoutesAreGone) {
  routeEcho();
  handles_.clear();
  EXPECT_EQ(ask(post("/api/v1/echo", "1")).status, 404);
}

class ServerCorsTest : public ServerFixture {
 protected:
  ServerCorsTest()
      : ServerFixture(quick(),
                      {.listen_host = "127.0.0.1", .allowed_origins = {"https://app.example"}}) {}
};

TEST_F(ServerCorsTest, AllowedOriginsMayReadAnswersAndErrors) {
  routeEcho();
  for (const auto* path : {"/api/v1/echo", "/api/v1/nothing"}) {
    const auto response = ask(post(path, "1", "Origin: https://app.example\r\n"));
    EXPECT_EQ(response.headers.at("access-control-allow-origin"), "https://app.example") << path;
  }
  EXPECT_FALSE(ask(post("/api/v1/echo", "1")).headers.contains("access-control-allow-origin"));
}

TEST_F(ServerCorsTest, ADeferredGuardChecksNothingAndStillNamesAllowedOrigins) {
  route(
      "*", "/api/v1/deferred",
      [](const http::ExchangePtr& exchange) { exchange->respond({.body = "called"}); },
      http::Guard::kDeferred);
  const auto from = [&](const std::string& origin, const std::string& method = "POST") {
    return ask(
        fmt::format("{} /api/v1/deferred HTTP/1.1\r\nHost: {}\r\nOrigin: {}\r\n"
                    "Access-Control-Request-Method: PUT\r\n\r\n",
                    method, host(), origin));
  };
  EXPECT_EQ(from("https://app.example").headers.at("access-control-allow-origin"),
            "https://app.example");
  EXPECT_EQ(from("https://app.example", "OPTIONS").status, 204);
  EXPECT_EQ(from("https://evil.example").body, "called");
  EXPECT_FALSE(from("https://evil.example").headers.contains("access-control-allow-origin"));
  EXPECT_EQ(from("https://evil.example", "OPTIONS").body, "called") << "the handler decides";
  EXPECT_EQ(ask("POST /api/v1/deferred HTTP/1.0\r\nOrigin: https://app.example\r\n\r\n").body,
            "called")
      << "not even a Host header is needed";
}

TEST_F(ServerCorsTest, PreflightsAreAnswered) {
  routeEcho();
  const auto preflight = [&](std::string_view origin) {
    return ask(
        fmt::format("OPTIONS /api/v1/echo HTTP/1.1\r\nHost: {}\r\nOrigin: {}\r\n"
                    "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: "
                    "content-type\r\n\r\n",
                    host(), origin));
  };
  const auto allowed = preflight("https://app.example");
  EXPECT_EQ(allowed.status, 204);
  EXPECT_EQ(allowed.headers.at("access-control-allow-methods"), "POST, OPTIONS");
  EXPECT_EQ(allowed.headers.at("access-control-allow-headers"), "content-type");
  const auto refused = preflight("https://evil.example");
  EXPECT_EQ(refused.status, 403);
  EXPECT_FALSE(refused.headers.contains("access-control-allow-methods"));
}

class ServerProxyTest : public ServerFixture {
 protected:
  ServerProxyTest()
      : ServerFixture(quick(), {.listen_host = "127.0.0.1",
                                .allowed_hosts = {"svc.example"},
                                .trusted_proxies = {"127.0.0.1"}}) {}
};

TEST_F(ServerProxyTest, ATrustedProxySpeaksForItsClient) {
  route("GET", "/api/v1/peer", [](const ExchangePtr& exchange) {
    exchange->respond({.body = exchange->request().peer_address});
  });
  const auto response =
      ask(get("/api/v1/peer",
              "X-Forwarded-For: 10.0.0.1, 10.0.0.2\r\nX-Forwarded-Host: svc.example\r\n"
              "X-Forwarded-Proto: https\r\nOrigin: https://svc.example\r\n"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "10.0.0.2");
  // A client may send the header as well; the proxy's own line comes after it.
  EXPECT_EQ(ask(get("/api/v1/peer",
                    "X-Forwarded-For: 10.9.9.9\r\nX-Forwarded-For: 10.0.0.1,10.0.0.2\r\n"))
                .body,
            "10.0.0.2");
}

TEST_F(ServerProxyTest, AForwardedHostNeedsAHostOfTheServer) {
  route("GET", "/api/v1/peer", [](const ExchangePtr& exchange) { exchange->respond({}); });
  const auto from = [this](const std::string& host) {
    return ask("GET /api/v1/peer HTTP/1.1\r\nHost: " + host +
               "\r\nX-Forwarded-Host: svc.example\r\nConnection: close\r\n\r\n")
        .status;
  };
  EXPECT_EQ(from("svc.example"), 200);
  // A page of this name that leads here may say the header as well.
  EXPECT_EQ(from("evil.example"), 403);
}

class ServerBasePathTest : public ServerFixture {
 protected:
  ServerBasePathTest()
      : ServerFixture(quick(),
                      {.listen_host = "127.0.0.1", .app_url = "https://svc.example/tools/"}) {
    route("GET", "/api/v1/where", [](const ExchangePtr& exchange) {
      const auto& request = exchange->request();
      exchange->respond({.body = fmt::format("{} {}", request.base_path, request.path)});
    });
  }
};

TEST_F(ServerBasePathTest, RoutesAreThereWithAndWithoutTheBasePath) {
  EXPECT_EQ(ask(get("/tools/api/v1/where?a=1")).body, "/tools /api/v1/where");
  EXPECT_EQ(ask(get("/api/v1/where")).body, " /api/v1/where");
  EXPECT_EQ(ask(get("/tools")).body, "window");
  EXPECT_EQ(ask(get("/tools/api/v1/other")).status, 404);
}

TEST_F(ServerBasePathTest, TheGuardLooksBehindTheBasePath) {
  EXPECT_EQ(ask(get("/tools/api/v1/where", "Origin: http://evil.example\r\n")).status, 403);
  EXPECT_EQ(ask(get("/tools/api/v1/where", "Origin: https://svc.example\r\n")).status, 200);
}

TEST_F(ServerTest, ForwardedHeadersOfOthersAreIgnored) {
  route("GET", "/api/v1/peer", [](const ExchangePtr& exchange) {
    exchange->respond({.body = exchange->request().peer_address});
  });
  EXPECT_EQ(ask(get("/api/v1/peer", "X-Forwarded-For: 10.0.0.1\r\n")).body, "127.0.0.1");
}

TEST(ServerListenTest, AnAddressInUseIsNamedWithTheWayOut) {
  FakeClock clock;
  http::Reactor reactor;
  const auto log = std::make_shared<spdlog::logger>("http");
  const auto policy = [] {
    return http::GuardPolicy::create({.listen_host = "127.0.0.1"}).value();
  };
  http::Server first({}, policy(), reactor, clock, log);
  ASSERT_TRUE(first.listen().ok());
  http::Server second({.port = first.port()}, policy(), reactor, clock, log);
  const auto listening = second.listen();
  ASSERT_FALSE(listening.ok());
  EXPECT_THAT(listening.error().message, HasSubstr(fmt::format("127.0.0.1:{}", first.port())));
  EXPECT_THAT(listening.error().message, HasSubstr("--listen 127.0.0.1:0"));
}

TEST(ServerListenTest, TheBaseUrlIsOneAClientCanUse) {
  FakeClock clock;
  http::Reactor reactor;
  const auto log = std::make_shared<spdlog::logger>("http");
  const auto url = [&](std::string host) {
    http::Server server(
        {.host = host},
        http::GuardPolicy::create({.listen_host = host, .allowed_hosts = {"x"}}).value(), reactor,
        clock, log);
    EXPECT_EQ(server.baseUrl(), "");
    EXPECT_TRUE(server.listen().ok());
    auto text = server.baseUrl();
    return text.substr(0, text.rfind(':'));
  };
  EXPECT_EQ(url("127.0.0.1"), "http://127.0.0.1");
  EXPECT_EQ(url("0.0.0.0"), "http://127.0.0.1");
}

}  // namespace
}  // namespace svc::test
