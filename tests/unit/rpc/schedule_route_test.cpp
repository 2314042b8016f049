#include "schedule_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "mocks/mock_schedules.h"
#include "mocks/recorded_exchange.h"

namespace svc::rpc {
namespace {

using plugins::ScheduleInfo;
using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;
using ::testing::_;
using ::testing::StrictMock;

class ScheduleRouteTest : public ::testing::Test {
 protected:
  ScheduleRouteTest() { EXPECT_TRUE(route_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> send(std::string body = {}) {
    http::Request request;
    request.path_parameters = {{"id", "todo"}, {"name", "digest"}};
    request.body = std::move(body);
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("POST /api/v1/plugins/:id/schedules/:name/run", exchange);
    return exchange;
  }
  void answerWith(const Result<ScheduleInfo>& result) {
    EXPECT_CALL(schedules_, run("todo", "digest", _))
        .WillOnce([result](const std::string&, const std::string&, auto done) { done(result); });
  }

  RecordedRoutes server_;
  StrictMock<plugins::MockSchedules> schedules_;
  ScheduleRoute route_{schedules_};
};

TEST_F(ScheduleRouteTest, AnswersWithTheScheduleAfterItsRun) {
  ScheduleInfo info;
  info.name = "digest";
  info.cron = "@daily";
  info.timezone = "UTC";
  info.next_run_at = 7;
  info.last_run_at = 5;
  info.last_status = "ok";
  answerWith(info);
  const auto exchange = send("{}");
  EXPECT_EQ(exchange->status(), 200U);
  EXPECT_EQ(exchange->json()["schedule"].dump(),
            R"({"name":"digest","cron":"@daily","timezone":"UTC","nextRunAt":7,"lastRunAt":5,)"
            R"("lastStatus":"ok","lastError":null,"lastRunMissed":false})");
}

TEST_F(ScheduleRouteTest, AnswersAConflictWhileItIsRunning) {
  answerWith(Error{errc::kConflict, "it is running"});
  const auto exchange = send();
  EXPECT_EQ(exchange->status(), 409U);
  EXPECT_EQ(exchange->errorCode(), "conflict");
  EXPECT_EQ(exchange->json()["error"]["details"]["pluginId"].asString(), "todo");
}

TEST_F(ScheduleRouteTest, PassesTheFailureOfTheRunOn) {
  answerWith(Error{errc::kHandlerError, "no luck"});
  const auto exchange = send();
  EXPECT_EQ(exchange->status(), 500U);
  EXPECT_EQ(exchange->json()["error"]["message"].asString(), "no luck");
}

TEST_F(ScheduleRouteTest, RefusesABodyThatIsNotJson) {
  const auto exchange = send("{");
  EXPECT_EQ(exchange->status(), 400U);
  EXPECT_EQ(exchange->errorCode(), "invalid_json");
}

}  // namespace
}  // namespace svc::rpc
