#include "server_log_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/json.h"

#include "fakes/inline_workers.h"
#include "mocks/recorded_exchange.h"
#include "unit/plugins/temp_directory.h"

namespace svc::metrics {
namespace {

using ::testing::HasSubstr;

class ServerLogRouteTest : public ::testing::Test {
 protected:
  ServerLogRouteTest() { EXPECT_TRUE(route_.attach(server_).ok()); }

  std::shared_ptr<test::RecordedExchange> send(std::string query) {
    http::Request request;
    request.query = std::move(query);
    auto exchange = std::make_shared<test::RecordedExchange>(std::move(request));
    server_.call("GET /api/v1/system/log", exchange);
    return exchange;
  }
  common::Json answer(std::string query) { return send(std::move(query))->json(); }

  test::TempDirectory folder_;
  test::RecordedRoutes server_;
  test::InlineWorkers workers_;
  ServerLogRoute route_{workers_, folder_.path()};
};

TEST_F(ServerLogRouteTest, AnswersLinesAndWhereToGoOn) {
  folder_.write("server.log",
                "{\"ts\":1,\"level\":\"info\",\"logger\":\"http\",\"message\":\"a\"}\n"
                "{\"ts\":2,\"level\":\"error\",\"logger\":\"http\",\"message\":\"b\"}\n");
  const auto page = answer("tail=1");
  EXPECT_EQ(page["lines"].items().size(), 1U);
  EXPECT_EQ(page["lines"].items()[0].asString(),
            R"({"ts":2,"level":"error","logger":"http","message":"b"})");
  EXPECT_FALSE(page["anew"].asBool());
  EXPECT_TRUE(answer("after=" + page["cursor"].asString())["lines"].items().empty());
  EXPECT_EQ(answer("level=warn")["lines"].items().size(), 1U);
  EXPECT_EQ(answer("")["lines"].items().size(), 2U);
  EXPECT_TRUE(answer("after=gone")["anew"].asBool());
}

TEST_F(ServerLogRouteTest, SaysWhatIsWrongWithTheQuery) {
  EXPECT_EQ(send("tail=x")->errorCode(), "invalid_input");
  EXPECT_EQ(send("tail=10001")->errorCode(), "invalid_input");
  const auto level = send("level=loud");
  EXPECT_EQ(level->errorCode(), "invalid_input");
  EXPECT_THAT(level->json()["error"]["message"].asString(),
              HasSubstr("debug, info, warn or error"));
}

TEST_F(ServerLogRouteTest, SaysWhenNoWorkerIsFree) {
  workers_.full = true;
  EXPECT_EQ(send("")->errorCode(), "overloaded");
}

}  // namespace
}  // namespace svc::metrics
