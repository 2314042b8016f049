#include "http_connector.h"

#include <cerrno>
#include <future>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "scripted_server.h"
#include "wire/socket.h"

namespace svc::client {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using Connection = ScriptedServer::Connection;

constexpr milliseconds kShort{50};
constexpr milliseconds kLong{60'000};

std::unique_ptr<IHttpClient> clientOf(const std::string& url) {
  auto client = connectTo(url);
  EXPECT_TRUE(client) << client.error().message;
  return std::move(client).value();
}

Result<HttpResponse> get(IHttpClient& client) { return client.send({"GET", "/x", "", kLong}); }

void answerOne(Connection& connection) {
  connection.request();
  connection.answer("{}");
}

TEST(HttpConnectorTest, RequestsCarryTheirBodyAndWhatTheServerAsksFor) {
  std::string got;
  std::string authority;
  {
    ScriptedServer server({[&got](Connection& connection) {
      got = connection.request(2);
      connection.answer("{}", "201 Created");
    }});
    authority = server.authority();
    const auto client = clientOf(server.url() + "/base/");
    client->useAccessToken("secret");
    const auto answer = client->send({.method = "POST",
                                      .target = "/run?a=b",
                                      .body = "[]",
                                      .timeout = kLong,
                                      .respond_async = true});
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer.value().status, 201);
    EXPECT_EQ(answer.value().body, "{}");
  }
  EXPECT_THAT(got, AllOf(StartsWith("POST /base/run?a=b HTTP/1.1\r\nHost: " + authority + "\r\n"),
                         HasSubstr("\r\nx-svc-access-token: secret\r\n"),
                         HasSubstr("\r\nPrefer: respond-async\r\n"),
                         HasSubstr("\r\nContent-Type: application/json\r\n"),
                         HasSubstr("\r\nContent-Length: 2\r\n\r\n[]")));
}

TEST(HttpConnectorTest, WhoMayNotUseTheNetworkIsNotToldToStartAServer) {
  for (const int code : {EPERM, EACCES}) {
    const auto refused = connectFailure(code);
    EXPECT_EQ(refused.code, errc::kForbidden);
    EXPECT_THAT(unreachable({.host = "h", .port = 1}, refused).message,
                AllOf(HasSubstr("h:1"), HasSubstr("outside of that")));
  }
  EXPECT_EQ(connectFailure(ECONNREFUSED).code, errc::kUnavailable);
}

TEST(HttpConnectorTest, AConnectionIsKeptForTheNextRequest) {
  ScriptedServer server({[](Connection& connection) {
    answerOne(connection);
    connection.request();
    connection.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    connection.say("2\r\nde\r\n0\r\n\r\n");
    connection.request();
    connection.say("HTTP/1.1 204 No Content\r\n\r\n");
    answerOne(connection);
  }});
  const auto client = clientOf(server.url());
  EXPECT_TRUE(get(*client));
  const auto chunked = get(*client);
  ASSERT_TRUE(chunked) << chunked.error().message;
  EXPECT_EQ(chunked.value().body, "abcde");
  EXPECT_TRUE(get(*client));
  EXPECT_TRUE(get(*client));
}

TEST(HttpConnectorTest, AConnectionThatTheServerHasClosedIsMadeAnew) {
  ScriptedServer server({answerOne, answerOne, answerOne});
  const auto client = clientOf(server.url());
  EXPECT_TRUE(get(*client));
  // Its connection is accepted once the first one is closed.
  EXPECT_TRUE(get(*clientOf(server.url())));
  EXPECT_TRUE(get(*client));
}

TEST(HttpConnectorTest, ALaterRequestHasItsOwnTimeLimit) {
  std::promise<void> timed_out;
  ScriptedServer server({[&timed_out](Connection& connection) {
                           answerOne(connection);
                           connection.request();
                           connection.waitForEnd();
                           timed_out.set_value();
                         },
                         answerOne});
  const auto client = clientOf(server.url());
  ASSERT_TRUE(get(*client));
  const auto late = client->send({"GET", "/x", "", kShort});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, errc::kTimeout);
  EXPECT_EQ(late.error().message, "no answer from " + server.url() + " in time");
  EXPECT_TRUE(get(*client));
  timed_out.get_future().wait();
}

TEST(HttpConnectorTest, LinesAreToldAsTheyCome) {
  std::promise<void> told;
  ScriptedServer server({[&told](Connection& connection) {
    connection.request();
    connection.say("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\none\ntw\r\n");
    told.get_future().wait();
    connection.say("6\r\no\nlast\r\n0\r\n\r\n");
  }});
  std::vector<std::string> lines;
  HttpRequest request{"GET", "/x", "", kLong};
  request.on_line = [&](const std::string& line) {
    lines.push_back(line);
    if (lines.size() == 1) {
      told.set_value();
    }
  };
  const auto answer = clientOf(server.url())->send(request);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_THAT(lines, ElementsAre("one", "two"));
  EXPECT_EQ(answer.value().body, "last");
}

TEST(HttpConnectorTest, OnlyAGoodAnswerIsSaved) {
  const std::string large(300'000, 'x');
  ScriptedServer server({[&large](Connection& connection) {
    connection.request();
    connection.answer(large);
    connection.request();
    connection.answer("why", "404 Not Found");
  }});
  const auto client = clientOf(server.url());
  std::ostringstream saved;
  HttpRequest request{"GET", "/x", "", kLong};
  request.save = &saved;
  const auto good = client->send(request);
  ASSERT_TRUE(good) << good.error().message;
  EXPECT_EQ(good.value().body, "");
  EXPECT_EQ(saved.str(), large);
  const auto bad = client->send(request);
  ASSERT_TRUE(bad) << bad.error().message;
  EXPECT_EQ(bad.value().body, "why");
  EXPECT_EQ(saved.str(), large);
}

/// What a client says of a server that answers so and closes the connection.
Error failureOf(const std::string& answer) {
  ScriptedServer server({[&answer](Connection& connection) {
    connection.request();
    connection.say(answer);
  }});
  const auto got = get(*clientOf(server.url()));
  return got ? Error{errc::kInternal, "answered"} : got.error();
}

TEST(HttpConnectorTest, AnAnswerThatIsCutShortIsNone) {
  for (const std::string answer :
       {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", "HTTP/1.1 200 O"}) {
    const auto failure = failureOf(answer);
    EXPECT_EQ(failure.code, errc::kAborted) << answer;
    EXPECT_THAT(failure.message, HasSubstr("was lost: the answer was cut short")) << answer;
  }
  EXPECT_THAT(failureOf("").message, HasSubstr("was lost: it was closed without an answer"));
}

TEST(HttpConnectorTest, AnAnswerThatIsNoHttpIsCalledSo) {
  const auto failure = failureOf("220 smtp.example.com ESMTP\r\n\r\n");
  EXPECT_EQ(failure.code, errc::kAborted);
  EXPECT_THAT(failure.message, HasSubstr("what comes is no HTTP"));
}

TEST(HttpConnectorTest, AHeadWithoutEndIsRefused) {
  const auto failure = failureOf("HTTP/1.1 200 OK\r\nx: " + std::string(100'000, 'x'));
  EXPECT_EQ(failure.code, errc::kAborted);
  EXPECT_THAT(failure.message, Not(HasSubstr("cut short")));
}

TEST(HttpConnectorTest, AnAnswerMayLastUntilTheConnectionEnds) {
  ScriptedServer server({[](Connection& connection) {
                           connection.request();
                           connection.say("HTTP/1.1 200 OK\r\n\r\nall of it");
                         },
                         answerOne});
  const auto client = clientOf(server.url());
  const auto answer = get(*client);
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer.value().body, "all of it");
  EXPECT_TRUE(get(*client));
}

TEST(HttpConnectorTest, NobodyWhoListensIsUnavailable) {
  const auto address =
      Poco::Net::ServerSocket(Poco::Net::SocketAddress("127.0.0.1", Poco::UInt16{0}))
          .address()
          .toString();
  const auto answer = get(*clientOf("http://" + address));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, errc::kUnavailable);
  EXPECT_EQ(answer.error().message,
            "nothing answers at http://" + address + ": Connection refused");
}

TEST(HttpConnectorTest, EveryAddressOfANameIsTried) {
  ScriptedServer server({answerOne});
  const auto port = server.authority().substr(server.authority().find(':'));
  EXPECT_TRUE(get(*clientOf("http://localhost" + port)));
}

TEST(HttpConnectorTest, WhatIsNoAddressIsRefused) {
  for (const auto* const text : {"garbage", "ftp://x", "http://", "https://127.0.0.1:1"}) {
    const auto client = connectTo(text);
    ASSERT_FALSE(client) << text;
    EXPECT_EQ(client.error().code, errc::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace svc::client
