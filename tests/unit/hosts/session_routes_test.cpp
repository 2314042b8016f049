#include "session_routes.h"

#include <utility>

#include "svc/common/limits/hosts.h"

#include "fixture.h"

namespace svc::hosts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SessionRoutesTest : public HostsFixture {
 protected:
  SessionRoutesTest() {
    ON_CALL(server_, webSocket)
        .WillByDefault(
            [this](http::WebSocketRoute route, http::WebSocketAcceptor acceptor) -> Result<Handle> {
              socket_route_ = std::move(route);
              acceptor_ = std::move(acceptor);
              return Handle([] {});
            });
    EXPECT_TRUE(routes_.attach(server_).ok());
  }

  static Json body() {
    return Json::object()
        .set("hostId", "host_1")
        .set("instanceId", "i1")
        .set("hostName", "box")
        .set("hostType", "persistent")
        .set("platform", "linux")
        .set("dataDir", "/data")
        .set("protocolVersion", 1)
        .set("agents", Json::array())
        .set("activeThreads", Json::array())
        .set("loadedEnvironments", Json::array());
  }
  std::shared_ptr<RecordedExchange> open(const std::string& text,
                                         const std::string& key = "Bearer svch_host_1",
                                         const std::string& type = "application/json") {
    http::Request request;
    request.method = "POST";
    request.body = text;
    if (!key.empty()) {
      request.headers.push_back({"Authorization", key});
    }
    request.headers.push_back({"content-type", type});
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("POST /internal/session/open", exchange);
    return exchange;
  }
  /// The session id of a new session.
  std::string session() { return open(body().dump())->json()["sessionId"].asString(); }
  Result<std::shared_ptr<http::IWebSocketHandler>> upgrade(
      const std::string& session_id, const std::string& key = "svch_host_1",
      const std::string& protocol = "svc-host-daemon.v1") {
    http::Request request;
    request.query = "sessionId=" + session_id;
    request.headers = {{"authorization", "Bearer " + key}};
    if (!protocol.empty()) {
      request.headers.push_back({"Sec-WebSocket-Protocol", protocol});
    }
    return acceptor_(request);
  }

  RecordedRoutes server_;
  SessionRoutes routes_{{.registry = registry_,
                         .sessions = *sessions_,
                         .loads = loads_,
                         .ports = ports_,
                         .log = log_}};
  http::WebSocketRoute socket_route_;
  http::WebSocketAcceptor acceptor_;
};

TEST_F(SessionRoutesTest, OpensASessionThatNamesWhatIsLoaded) {
  load("todo", 1, artifact("g-todo"));
  load("plain", 2, nullptr);
  load("chat", 3, artifact("g-chat"));
  const auto exchange = open(body().dump());
  EXPECT_EQ(exchange->status(), 201U);
  const auto answer = exchange->json();
  EXPECT_EQ(answer["sessionId"].asString().size(), 32U);
  EXPECT_EQ(answer["heartbeatIntervalMs"], Json(5000));
  EXPECT_EQ(answer["leaseTimeoutMs"], Json(30'000));
  EXPECT_EQ(
      answer["pluginHostGenerations"].dump(),
      R"([{"pluginId":"chat","generation":"g-chat"},{"pluginId":"todo","generation":"g-todo"}])");
  EXPECT_EQ(answer["watchSet"].dump(), R"({"generation":0})");
  EXPECT_EQ(answer["connectShares"].dump(), R"({"generation":0,"ports":[]})");
  EXPECT_EQ(answer["retiredEnvironmentIds"].dump(), "[]");
}

TEST_F(SessionRoutesTest, TheRegistryLearnsTheFactsOnceTheSocketIsOpen) {
  auto request = body();
  request.set("agents", parsed(R"([{"id":"a","displayName":"A","available":true}])"));
  const auto id = open(request.dump())->json()["sessionId"].asString();
  machines::SessionFacts facts;
  EXPECT_CALL(registry_, connected("host_1", ::testing::_)).WillOnce(::testing::SaveArg<1>(&facts));
  upgrade(id).value()->onOpen(std::make_shared<RecordedSocket>());
  EXPECT_EQ(facts.instance_id, "i1");
  EXPECT_EQ(facts.host_name, "box");
  EXPECT_EQ(facts.platform, "linux");
  EXPECT_EQ(facts.data_directory, "/data");
  ASSERT_EQ(facts.agents.size(), 1U);
  EXPECT_TRUE(facts.agents[0].available);
}

TEST_F(SessionRoutesTest, NeedsAHostKey) {
  for (const auto* key : {"", "Bearer", "Bearer ", "Basic svch_host_1", "Bearer nonsense"}) {
    const auto exchange = open(body().dump(), key);
    EXPECT_EQ(exchange->status(), 401U) << key;
    EXPECT_EQ(exchange->errorCode(), "unauthorized") << key;
  }
  EXPECT_EQ(open(body().dump(), "bearer svch_host_1")->status(), 201U);
}

TEST_F(SessionRoutesTest, NeedsJson) {
  EXPECT_EQ(open(body().dump(), "Bearer svch_host_1", "text/plain")->status(), 415U);
  EXPECT_EQ(open(body().dump(), "Bearer svch_host_1", "application/json; charset=utf-8")->status(),
            201U);
}

TEST_F(SessionRoutesTest, AnotherProtocolVersionIsRefusedAndRemembered) {
  auto request = body();
  request.set("protocolVersion", 2).set("later", true);
  const auto exchange = open(request.dump());
  EXPECT_EQ(exchange->status(), 400U);
  EXPECT_EQ(exchange->errorCode(), "protocol_version_mismatch");
  EXPECT_EQ(exchange->json()["error"]["details"].dump(),
            R"({"serverProtocolVersion":1,"retryUpdate":true})");
  EXPECT_THAT(states_, ElementsAre("rejected host_1 2 linux"));
  open(request.dump());
  const auto text = log_text_.str();
  const auto first = text.find("protocol version 2");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("protocol version 2", first + 1), std::string::npos) << "logged once";
}

TEST_F(SessionRoutesTest, RetryUpdateIsWhatTheRegistrySaysOfThePlatform) {
  for (const auto& platform : {Json("linux-arm64"), Json(7), Json(std::string(4097, 'x'))}) {
    auto request = body();
    request.set("protocolVersion", 0).set("platform", platform);
    EXPECT_EQ(open(request.dump())->json()["error"]["details"].dump(),
              R"({"serverProtocolVersion":1,"retryUpdate":false})");
  }
  EXPECT_THAT(states_, ElementsAre("rejected host_1 0 linux-arm64", "rejected host_1 0 ",
                                   "rejected host_1 0 "));
}

TEST_F(SessionRoutesTest, AKeyIsForItsHostAndType) {
  auto request = body();
  request.set("hostId", "host_2");
  EXPECT_EQ(open(request.dump())->status(), 403U);
  EXPECT_EQ(open(request.dump())->errorCode(), "forbidden");
  const auto text = log_text_.str();
  const auto first = text.find("belongs to another host");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find("belongs to another host", first + 1), std::string::npos) << "logged once";
  request = body();
  request.set("hostType", "ephemeral");
  const auto exchange = open(request.dump());
  EXPECT_EQ(exchange->status(), 403U);
  EXPECT_THAT(exchange->json()["error"]["message"].asString(),
              HasSubstr("enrolled as persistent and says it is ephemeral"));
}

TEST_F(SessionRoutesTest, AKeyOfAHostThatIsGoneIsNobodys) {
  hosts_.clear();
  EXPECT_EQ(open(body().dump())->status(), 401U);
}

TEST_F(SessionRoutesTest, TheBodyIsStrict) {
  EXPECT_EQ(open("{")->errorCode(), "invalid_json");
  EXPECT_EQ(open("[]")->errorCode(), "invalid_input");
  const auto refused = [this](const std::string& key, Json value) {
    auto request = body();
    request.set(key, std::move(value));
    const auto exchange = open(request.dump());
    EXPECT_EQ(exchange->status(), 400U) << key;
    EXPECT_EQ(exchange->errorCode(), "invalid_input") << key;
    EXPECT_EQ(exchange->json()["error"]["issues"].items().front()["path"].items().front(),
              Json(key));
  };
  for (const auto* key : {"hostId", "instanceId", "hostName", "hostType", "platform", "dataDir",
                          "agents", "activeThreads", "loadedEnvironments"}) {
    refused(key, 1);
  }
  refused("protocolVersion", "1");
  refused("protocolVersion", 1.5);
  refused("hostType", "eternal");
  refused("hostName", std::string(4097, 'x'));
  refused("agents", parsed(R"([{"id":"a"}])"));
  refused("activeThreads", parsed(R"([{"threadId":1}])"));
  refused("later", true);
  EXPECT_EQ(sessions_->connected().size(), 0U);
}

TEST_F(SessionRoutesTest, RefusesWhileTheServerStops) {
  sessions_->shutDown();
  EXPECT_EQ(open(body().dump())->status(), 503U);
}

TEST_F(SessionRoutesTest, TheSocketHasLimitsAndASubprotocol) {
  EXPECT_EQ(socket_route_.pattern, "/internal/ws");
  EXPECT_EQ(socket_route_.subprotocol, "svc-host-daemon.v1");
  EXPECT_EQ(socket_route_.message_limit, limits::kIpcMessage);
  EXPECT_GE(socket_route_.backlog_limit, 2 * limits::kIpcMessage);
}

TEST_F(SessionRoutesTest, TheSocketIsForTheHostsOwnActiveSession) {
  const auto id = session();
  EXPECT_EQ(upgrade(id, "wrong").error().code, errc::kUnauthorized);
  EXPECT_EQ(upgrade("").error().code, errc::kUnauthorized);
  EXPECT_EQ(upgrade("0123").error().code, errc::kUnauthorized);
  EXPECT_EQ(upgrade(id, "svch_host_1", "").error().code, errc::kInvalidInput);
  EXPECT_EQ(upgrade(id, "svch_host_1", "svc-host-daemon.v2").error().code, errc::kInvalidInput);
  EXPECT_EQ(upgrade(id, "svch_host_2").error().code, errc::kForbidden);
  const auto next = session();
  EXPECT_EQ(upgrade(id).error().code, errc::kInactiveSession);
  EXPECT_TRUE(upgrade(next, "svch_host_1", "other, svc-host-daemon.v1").ok());
}

}  // namespace
}  // namespace svc::hosts
