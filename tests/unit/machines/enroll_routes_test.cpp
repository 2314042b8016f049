#include "enroll_routes.h"

#include "fixture.h"
#include "keys.h"
#include "mocks/recorded_exchange.h"

namespace svc::machines {
namespace {

using svc::test::RecordedExchange;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

constexpr auto kKeyRoute = "POST /internal/hosts/enroll-key";
constexpr auto kEnrollRoute = "POST /internal/hosts/enroll";
constexpr auto kMac = R"({"hostName":"mac","hostType":"persistent"})";

class EnrollRoutesTest : public MachinesFixture {
 protected:
  EnrollRoutesTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> send(const std::string& route, const std::string& body,
                                         std::vector<http::Header> headers = {},
                                         std::string peer = "127.0.0.1") {
    http::Request request;
    request.method = "POST";
    request.body = body;
    request.headers = std::move(headers);
    request.headers.push_back({"Content-Type", "application/json; charset=utf-8"});
    request.peer_address = std::move(peer);
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    return exchange;
  }
  std::shared_ptr<RecordedExchange> sendEnroll(const std::string& key,
                                               const std::string& body = kMac) {
    return send(kEnrollRoute, body, {{"Authorization", "Bearer " + key}}, "10.0.0.7");
  }
  static std::size_t occurrences(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
      ++count;
    }
    return count;
  }

  svc::test::RecordedRoutes server_;
  EnrollRoutes routes_{workers_, *registry_, clock_, log_};
};

TEST_F(EnrollRoutesTest, KeysAreForTheServersUserAndCodesForWhoeverHasOne) {
  EXPECT_EQ(server_.routeOf(kKeyRoute).guard, http::Guard::kUpload);
  EXPECT_EQ(server_.routeOf(kEnrollRoute).guard, http::Guard::kNone);
  EXPECT_LE(server_.routeOf(kEnrollRoute).body_limit.get(), 16U * 1024);
}

TEST_F(EnrollRoutesTest, ALocalProcessGetsAnEnrollKey) {
  const auto given = send(kKeyRoute, "{}");
  ASSERT_EQ(given->status(), 201U);
  EXPECT_THAT(given->json()["enrollKey"].asString(), StartsWith("svce_"));
  EXPECT_EQ(given->json()["expiresAt"].asInteger(), clock_.nowMs() + 15 * 60 * 1000);
  const auto host = sendEnroll(given->json()["enrollKey"].asString());
  EXPECT_EQ(host->json()["hostId"].asString(), given->json()["hostId"].asString());
}

TEST_F(EnrollRoutesTest, TheServersOwnMachineMayBeEnrolledByItsDaemon) {
  const auto id = registry_->serverHostId();
  const auto given = send(kKeyRoute, R"({"hostId":")" + id + R"("})");
  EXPECT_EQ(given->json()["hostId"].asString(), id);
  EXPECT_EQ(sendEnroll(given->json()["enrollKey"].asString())->status(), 201U);
}

TEST_F(EnrollRoutesTest, OtherMachinesGetNoEnrollKey) {
  for (const char* peer : {"10.0.0.7", "fe80::1", "128.0.0.1", ""}) {
    const auto refused = send(kKeyRoute, "{}", {}, peer);
    EXPECT_EQ(refused->status(), 403U) << peer;
    EXPECT_EQ(refused->errorCode(), "forbidden_origin") << peer;
  }
  for (const char* peer : {"127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_EQ(send(kKeyRoute, "{}", {}, peer)->status(), 201U) << peer;
  }
}

TEST_F(EnrollRoutesTest, NobodyGetsAnEnrollKeyThroughAProxyOrABrowser) {
  for (const char* name : {"Forwarded", "X-Forwarded-For", "x-forwarded-proto", "X-Real-IP", "Via",
                           "Origin", "Sec-Fetch-Site"}) {
    const auto refused = send(kKeyRoute, "{}", {{name, "127.0.0.1"}});
    EXPECT_EQ(refused->status(), 403U) << name;
    EXPECT_EQ(refused->errorCode(), "forbidden_origin") << name;
    EXPECT_THAT(refused->json()["error"]["message"].asString(), HasSubstr(name));
  }
}

TEST_F(EnrollRoutesTest, ADaemonGetsNoEnrollKey) {
  const auto host = enrolled();
  const auto refused = send(kKeyRoute, "{}", {{"authorization", "Bearer " + host.host_key}});
  EXPECT_EQ(refused->status(), 403U);
  EXPECT_EQ(refused->errorCode(), "forbidden");
}

TEST_F(EnrollRoutesTest, Enrolls) {
  const auto code = registry_->issueKey(storage::HostKeyKind::kJoin, {}, {}).value();
  const auto enrolled = sendEnroll(
      code.key, R"({"hostId":")" + code.host_id + R"(","hostName":"mac","hostType":"ephemeral"})");
  ASSERT_EQ(enrolled->status(), 201U);
  EXPECT_EQ(enrolled->json()["hostId"].asString(), code.host_id);
  EXPECT_EQ(enrolled->json()["hostName"].asString(), "mac");
  EXPECT_EQ(registry_->authenticate(enrolled->json()["hostKey"].asString()).value(), code.host_id);
  EXPECT_EQ(registry_->find(code.host_id)->type, "ephemeral");
}

TEST_F(EnrollRoutesTest, ADaemonNeedNotKnowItsId) {
  EXPECT_EQ(sendEnroll(issue())->status(), 201U);
  EXPECT_EQ(
      sendEnroll(issue(), R"({"hostId":null,"hostName":"a","hostType":"persistent"})")->status(),
      201U);
}

TEST_F(EnrollRoutesTest, AWrongKeyIsUnauthorized) {
  for (const auto& headers :
       std::vector<std::vector<http::Header>>{{},
                                              {{"authorization", "Bearer svce_none"}},
                                              {{"authorization", "Bearer "}},
                                              {{"authorization", "Basic abc"}}}) {
    const auto refused = send(kEnrollRoute, kMac, headers);
    EXPECT_EQ(refused->status(), 401U);
    EXPECT_EQ(refused->errorCode(), "unauthorized");
  }
}

TEST_F(EnrollRoutesTest, AWrongKeyCostsNoWorkerAndSaysNothingOfTheBody) {
  workers_.full = true;
  EXPECT_EQ(sendEnroll("svce_none", "{")->status(), 401U);
  EXPECT_EQ(sendEnroll(issue())->errorCode(), "overloaded");
}

TEST_F(EnrollRoutesTest, AKeyForAnotherHostIsUnauthorized) {
  const auto refused =
      sendEnroll(issue(), R"({"hostId":"host_x","hostName":"mac","hostType":"persistent"})");
  EXPECT_EQ(refused->status(), 401U);
  EXPECT_THAT(logged(), HasSubstr("not for this host id"));
}

TEST_F(EnrollRoutesTest, ARepeatedKeyIsLoggedOnceAndNeverShown) {
  const auto code = issue();
  ASSERT_EQ(sendEnroll(code)->status(), 201U);
  for (int count = 0; count < 3; ++count) {
    EXPECT_EQ(sendEnroll(code)->status(), 401U);
  }
  EXPECT_EQ(occurrences(logged(), "has been used already"), 1U);
  EXPECT_EQ(occurrences(logged(), code.substr(5)), 0U);
}

TEST_F(EnrollRoutesTest, ABodyIsReadStrictly) {
  const auto code = issue();
  for (const char* body :
       {"", "[]", R"({"hostType":"persistent"})", R"({"hostName":"mac"})",
        R"({"hostName":"mac","hostType":"virtual"})", R"({"hostName":"","hostType":"persistent"})",
        R"({"hostName":"a\u0007","hostType":"persistent"})",
        R"({"hostName":"a\u2066","hostType":"persistent"})",
        R"({"hostName":1,"hostType":"persistent"})",
        R"({"hostId":"a b","hostName":"mac","hostType":"persistent"})",
        R"({"hostId":7,"hostName":"mac","hostType":"persistent"})",
        R"({"hostName":"mac","hostType":"persistent","root":true})"}) {
    const auto refused = sendEnroll(code, body);
    EXPECT_EQ(refused->status(), 400U) << body;
    EXPECT_EQ(refused->errorCode(), "invalid_input") << body;
  }
  EXPECT_THAT(sendEnroll(code, R"({"hostName":"mac","hostType":"persistent","root":true})")
                  ->json()["error"]["message"]
                  .asString(),
              HasSubstr("root"));
  EXPECT_EQ(sendEnroll(code, "{")->errorCode(), "invalid_json");
  EXPECT_EQ(sendEnroll(code)->status(), 201U);
}

TEST_F(EnrollRoutesTest, ABodyIsJson) {
  http::Request request;
  request.method = "POST";
  request.body = kMac;
  request.peer_address = "127.0.0.1";
  for (const char* route : {kKeyRoute, kEnrollRoute}) {
    auto exchange = std::make_shared<RecordedExchange>(request);
    server_.call(route, exchange);
    EXPECT_EQ(exchange->status(), 415U);
    EXPECT_EQ(exchange->errorCode(), "unsupported_media_type");
  }
}

TEST_F(EnrollRoutesTest, GuessingIsSlowedDownAndEnrollingIsNot) {
  for (int count = 0; count < Refusals::kPerMinute; ++count) {
    EXPECT_EQ(sendEnroll("svce_" + std::to_string(count))->status(), 401U);
  }
  const auto busy = sendEnroll("svce_x");
  EXPECT_EQ(busy->status(), 503U);
  EXPECT_EQ(busy->errorCode(), "overloaded");
  ASSERT_FALSE(busy->answer->headers.empty());
  EXPECT_EQ(busy->answer->headers[0].name, "retry-after");
  EXPECT_EQ(sendEnroll(issue())->status(), 201U);
  clock_.advance(1min);
  EXPECT_EQ(sendEnroll("svce_y")->status(), 401U);
}

TEST_F(EnrollRoutesTest, WhatCannotBeStoredIsNotEnrolled) {
  const auto code = issue();
  store_.broken = Error{errc::kUnavailable, "disk full"};
  const auto failed = sendEnroll(code);
  EXPECT_EQ(failed->status(), 503U);
  EXPECT_EQ(failed->errorCode(), "unavailable");
}

}  // namespace
}  // namespace svc::machines
