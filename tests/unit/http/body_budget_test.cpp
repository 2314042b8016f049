#include "body_budget.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server_fixture.h"

namespace svc::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::size_t kKiB = 1024;

class BodyBudgetTest : public ::testing::Test {
 protected:
  BodyBudgetTest() { budget->setLimits({.process = 100 * kKiB, .plugin = 60 * kKiB}); }
  std::shared_ptr<http::BodyBudget> budget = std::make_shared<http::BodyBudget>();
};

TEST_F(BodyBudgetTest, WhatIsLetGoIsGivenBack) {
  {
    auto share = budget->share("todo");
    EXPECT_TRUE(share.growTo(20 * kKiB).ok());
    EXPECT_TRUE(share.growTo(50 * kKiB).ok());
    EXPECT_TRUE(share.growTo(30 * kKiB).ok());
    const auto moved = std::move(share);
    EXPECT_EQ(budget->usage().bytes, 50 * kKiB);
    EXPECT_THAT(budget->usage().plugins, ElementsAre(Pair("todo", 50 * kKiB)));
  }
  EXPECT_EQ(budget->usage().bytes, 0U);
  EXPECT_THAT(budget->usage().plugins, IsEmpty());
}

TEST_F(BodyBudgetTest, NamesThePluginItsLimitAndTheValue) {
  auto first = budget->share("todo");
  auto second = budget->share("todo");
  ASSERT_TRUE(first.growTo(50 * kKiB).ok());
  const auto refused = second.growTo(20 * kKiB);
  EXPECT_EQ(refused.error().code, errc::kOverloaded);
  EXPECT_THAT(refused.error().message,
              HasSubstr("plugin \"todo\" take 71680 bytes with this one, whose body has 20480; the "
                        "limit is 61440 bytes (plugins.waitingMiB)"));
  EXPECT_EQ(budget->usage().refused, 1U);
  EXPECT_TRUE(budget->share("other").growTo(20 * kKiB).ok());
}

TEST_F(BodyBudgetTest, TheProcessHasALimitOfItsOwn) {
  auto first = budget->share("todo");
  auto second = budget->share("other");
  ASSERT_TRUE(first.growTo(60 * kKiB).ok());
  const auto refused = second.growTo(50 * kKiB);
  EXPECT_THAT(refused.error().message, HasSubstr("limit is 102400 bytes (listen.waitingMiB)"));
  EXPECT_THAT(budget->usage().plugins, ElementsAre(Pair("todo", 60 * kKiB)));
}

TEST_F(BodyBudgetTest, SmallBodiesAreFree) {
  budget->setLimits({.process = 0, .plugin = 0});
  EXPECT_TRUE(budget->share("todo").growTo(http::BodyBudget::kSmall).ok());
  EXPECT_FALSE(budget->share("todo").growTo(http::BodyBudget::kSmall + 1).ok());
}

TEST_F(BodyBudgetTest, StrangersHaveAPartThatLeavesRoomForTheOthers) {
  constexpr auto kMiB = 1024 * kKiB;
  budget->setLimits({.process = 160 * kMiB, .plugin = 160 * kMiB});
  auto stranger = budget->share("", http::BodySender::kStranger);
  ASSERT_TRUE(stranger.growTo(20 * kMiB).ok());
  const auto refused = budget->share("", http::BodySender::kStranger).growTo(kMiB);
  EXPECT_EQ(refused.error().code, errc::kOverloaded);
  EXPECT_THAT(refused.error().message, HasSubstr("limit is 20971520 bytes, which is the part of "
                                                 "listen.waitingMiB"));
  EXPECT_EQ(budget->usage().refused, 1U);
  auto known = budget->share("");
  EXPECT_TRUE(known.growTo(140 * kMiB).ok());
  EXPECT_FALSE(budget->share("").growTo(kMiB).ok());
  stranger = {};
  EXPECT_EQ(budget->usage().bytes, 140 * kMiB);
  EXPECT_TRUE(budget->share("", http::BodySender::kStranger).growTo(20 * kMiB).ok());
}

TEST_F(BodyBudgetTest, StrangersHaveRoomForOneBodyHoweverSmallThePartIs) {
  constexpr auto kMiB = 1024 * kKiB;
  budget->setLimits({.process = 16 * kMiB, .plugin = 16 * kMiB});
  EXPECT_TRUE(budget->share("", http::BodySender::kStranger).growTo(8 * kMiB).ok());
  EXPECT_FALSE(budget->share("", http::BodySender::kStranger).growTo(9 * kMiB).ok());
  budget->setLimits({.process = 4 * kMiB, .plugin = 4 * kMiB});
  EXPECT_FALSE(budget->share("", http::BodySender::kStranger).growTo(5 * kMiB).ok());
}

/// Room for one body of 400 KiB; what is larger than 64 KiB is not read when it is refused.
class ServerBodyBudgetTest : public ServerFixture {
 protected:
  ServerBodyBudgetTest()
      : ServerFixture({.bodies = {.process = 800 * kKiB, .plugin = 600 * kKiB}, .tick = 1ms}) {}

  /// POST /api/v1/plugins/:id/held keeps its exchange for the test.
  std::future<http::ExchangePtr> routePlugin() {
    auto promise = std::make_shared<std::promise<http::ExchangePtr>>();
    auto future = promise->get_future();
    auto handle = server_.route(
        {.method = "POST", .pattern = "/api/v1/plugins/:id/held", .plugin_parameter = "id"},
        [promise](http::ExchangePtr exchange) { promise->set_value(std::move(exchange)); });
    SVC_ASSERT(handle.ok());
    handles_.push_back(std::move(handle).value());
    return future;
  }
  [[nodiscard]] std::string head(std::string_view plugin, std::size_t length) const {
    return fmt::format(
        "POST /api/v1/plugins/{}/held HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\n\r\n",
        plugin, host(), length);
  }
};

TEST_F(ServerBodyBudgetTest, RefusesABodyBeforeItIsSentWhileAnotherOneWaits) {
  auto held = routePlugin();
  RawClient waiting(server_.port());
  waiting.send(head("todo", 400 * kKiB) + std::string(400 * kKiB, ' '));
  auto exchange = await(held);

  const auto refused = ask(head("todo", 400 * kKiB));
  EXPECT_EQ(refused.status, 503);
  EXPECT_EQ(refused.headers.at("retry-after"), "1");
  EXPECT_THAT(refused.body, HasSubstr("\"overloaded\""));
  EXPECT_THAT(refused.body, HasSubstr("plugins.waitingMiB"));
  EXPECT_THAT(ask(head("other", 450 * kKiB)).body, HasSubstr("listen.waitingMiB"));
  EXPECT_THAT(server_.stats()->stats().plugin_body_bytes, ElementsAre(Pair("todo", 400 * kKiB)));
  EXPECT_EQ(server_.stats()->stats().bodies_refused, 2U);

  exchange->respond({.body = "done"});
  exchange.reset();
  EXPECT_EQ(waiting.read().body, "done");
  EXPECT_EQ(server_.stats()->stats().body_bytes, 0U);
}

TEST_F(ServerBodyBudgetTest, RoutesForEverybodyLeaveRoomForTheOthers) {
  constexpr auto kMiB = 1024 * kKiB;
  server_.setBodyLimits({.process = 64 * kMiB, .plugin = 64 * kMiB});
  for (const auto guard : {http::Guard::kNone, http::Guard::kLocal}) {
    auto handle = server_.route(
        {.method = "POST",
         .pattern = guard == http::Guard::kNone ? "/internal/open" : "/api/v1/own",
         .guard = guard,
         .body_limit = 16 * kMiB},
        [](const http::ExchangePtr& exchange) { exchange->respond({.body = "read"}); });
    ASSERT_TRUE(handle.ok());
    handles_.push_back(std::move(handle).value());
  }
  const auto announce = [this](std::string_view path, std::size_t length) {
    return fmt::format(
        "POST {} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: "
        "{}\r\nExpect: 100-continue\r\n\r\n",
        path, host(), length);
  };
  RawClient stranger(server_.port());
  stranger.send(announce("/internal/open", 8 * kMiB));
  EXPECT_EQ(stranger.read().status, 100);
  const auto refused = ask(announce("/internal/open", 1 * kMiB));
  EXPECT_EQ(refused.status, 503);
  EXPECT_THAT(refused.body, HasSubstr("the part of listen.waitingMiB"));
  RawClient known(server_.port());
  known.send(announce("/api/v1/own", 16 * kMiB));
  EXPECT_EQ(known.read().status, 100);
}

TEST_F(ServerBodyBudgetTest, ABodyThatDoesNotSayItsLengthIsRefusedOnItsWay) {
  routePlugin();
  RawClient client(server_.port());
  client.send(fmt::format("POST /api/v1/plugins/todo/held HTTP/1.1\r\nHost: {}\r\nContent-Type: "
                          "application/json\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n",
                          host()) +
              std::string(700 * kKiB, ' '));
  EXPECT_EQ(client.read().status, 503);
  client.close();
  EXPECT_EQ(server_.stats()->stats().body_bytes, 0U);
}

TEST_F(ServerBodyBudgetTest, AClientThatLeavesGivesItsRoomBack) {
  routePlugin();
  {
    RawClient client(server_.port());
    client.send(head("todo", 400 * kKiB) + "begin");
    // The next connection is looked at after what this one sent.
    EXPECT_EQ(ask(head("todo", 400 * kKiB)).status, 503);
  }
  RawClient probe(server_.port());
  // What the connection held goes with it, a turn of the io thread later. One that keeps it runs into the limit of the test.
  while (server_.stats()->stats().connections_open > 1 || server_.stats()->stats().body_bytes > 0) {
    std::this_thread::yield();
  }
}

TEST_F(ServerBodyBudgetTest, CallsInsideTheProcessCountAsWell) {
  auto held = routePlugin();
  RawClient waiting(server_.port());
  waiting.send(head("todo", 400 * kKiB) + std::string(400 * kKiB, ' '));
  const auto exchange = await(held);
  std::promise<Result<http::Response>> answered;
  auto answer = answered.get_future();
  http::Request request;
  request.method = "POST";
  request.target = "/api/v1/plugins/todo/held";
  request.body = std::string(400 * kKiB, ' ');
  server_.dispatch(std::move(request), {}, [&answered](Result<http::Response> response) {
    answered.set_value(std::move(response));
  });
  EXPECT_EQ(await(answer).value().status, 503U);
}

}  // namespace
}  // namespace svc::test
