#include "log_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/plugins.h"

#include "mocks/mock_plugin_logs.h"
#include "mocks/mock_reactor.h"
#include "mocks/recorded_exchange.h"

namespace svc::rpc {
namespace {

using svc::test::FakeReactor;
using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;
using ::testing::StrictMock;

constexpr auto kRoute = "GET /api/v1/plugins/:id/logs";

struct Read {
  std::string plugin_id;
  plugins::LogQuery query;
  Completion<plugins::LogPage> done;
};

class LogRouteTest : public ::testing::Test {
 protected:
  LogRouteTest() {
    EXPECT_CALL(logs_, onLine).WillOnce([this](auto listener) {
      line_written_ = std::move(listener);
      return Handle();
    });
    EXPECT_CALL(logs_, read)
        .WillRepeatedly([this](std::string plugin_id, plugins::LogQuery query, auto done) {
          reads_.push_back({std::move(plugin_id), std::move(query), std::move(done)});
        });
    route_.emplace(logs_, reactor_);
    EXPECT_TRUE(route_->attach(server_).ok());
  }

  std::shared_ptr<RecordedExchange> send(std::string query) {
    http::Request request;
    request.query = std::move(query);
    request.path_parameters = {{"id", "todo"}};
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(kRoute, exchange);
    return exchange;
  }

  void finishRead(std::vector<std::string> lines, std::uint64_t cursor) {
    auto read = std::move(reads_.back());
    reads_.pop_back();
    read.done(plugins::LogPage{std::move(lines), cursor});
    reactor_.runAll();
  }

  FakeReactor reactor_;
  RecordedRoutes server_;
  StrictMock<plugins::MockPluginLogs> logs_;
  plugins::MockPluginLogs::Listener line_written_;
  std::vector<Read> reads_;
  std::optional<LogRoute> route_;
};

TEST_F(LogRouteTest, AnswersTheStoredLines) {
  const auto exchange = send("tail=5&level=warn");
  ASSERT_EQ(reads_.size(), 1U);
  EXPECT_EQ(reads_[0].plugin_id, "todo");
  EXPECT_EQ(reads_[0].query.tail, 5U);
  EXPECT_EQ(reads_[0].query.level, "warn");
  finishRead({R"({"seq":7})"}, 7);
  EXPECT_EQ(exchange->json().dump(), R"({"ok":true,"lines":["{\"seq\":7}"],"cursor":7})");
}

TEST_F(LogRouteTest, UsesTheDefaultTailAndTheWholeTailAfterACursor) {
  send("");
  EXPECT_EQ(reads_[0].query.tail, limits::kLogTailDefault);
  EXPECT_FALSE(reads_[0].query.after.has_value());
  send("after=4");
  EXPECT_EQ(reads_[1].query.tail, limits::kLogTail);
  EXPECT_EQ(reads_[1].query.after, 4U);
}

TEST_F(LogRouteTest, AnswersOnlyTheCursorForATailOfZero) {
  const auto exchange = send("tail=0");
  finishRead({"{}"}, 9);
  EXPECT_EQ(exchange->json().dump(), R"({"ok":true,"lines":[],"cursor":9})");
}

TEST_F(LogRouteTest, RefusesBadQueriesAndNamesTheLimit) {
  for (const auto* query : {"tail=x", "tail=-1", "tail=", "after=1.5", "wait=yes", "level=loud"}) {
    EXPECT_EQ(send(query)->errorCode(), "invalid_input") << query;
  }
  EXPECT_THAT(send("tail=10001")->json()["error"]["message"].asString(),
              ::testing::HasSubstr("10001 is above the limit 10000"));
  EXPECT_THAT(send("wait=25001")->json()["error"]["issues"].dump(),
              ::testing::HasSubstr(R"("path":["wait"])"));
  EXPECT_TRUE(reads_.empty());
}

TEST_F(LogRouteTest, AnswersAFailedRead) {
  const auto exchange = send("");
  reads_[0].done(Error{errc::kUnknownPlugin, "no such plugin"});
  reactor_.runAll();
  EXPECT_EQ(exchange->status(), 404U);
}

TEST_F(LogRouteTest, WaitsForALineOfThisPlugin) {
  const auto exchange = send("after=3&wait=25000");
  finishRead({}, 3);
  EXPECT_FALSE(exchange->answer.has_value());
  line_written_("other", 1);
  reactor_.runAll();
  EXPECT_TRUE(reads_.empty());
  line_written_("todo", 4);
  reactor_.runAll();
  finishRead({"{}"}, 4);
  EXPECT_EQ(exchange->json()["cursor"].asInteger(), 4);
  EXPECT_EQ(reactor_.pendingTimers(), 0U);
}

TEST_F(LogRouteTest, ReadsAgainForALineWrittenDuringARead) {
  const auto exchange = send("after=3&wait=25000");
  line_written_("todo", 4);
  reactor_.runAll();
  EXPECT_EQ(reads_.size(), 1U);
  finishRead({}, 3);
  ASSERT_EQ(reads_.size(), 1U);
  finishRead({"{}"}, 4);
  EXPECT_TRUE(exchange->answer.has_value());
}

TEST_F(LogRouteTest, KeepsWaitingWhenTheLineWasBelowTheLevel) {
  const auto exchange = send("after=3&wait=25000&level=error");
  finishRead({}, 3);
  line_written_("todo", 4);
  reactor_.runAll();
  finishRead({}, 4);
  EXPECT_FALSE(exchange->answer.has_value());
}

TEST_F(LogRouteTest, AnswersEmptyAtTheEndOfTheWait) {
  const auto exchange = send("after=3&wait=1000");
  finishRead({}, 3);
  reactor_.advance(std::chrono::milliseconds(1000));
  finishRead({}, 5);
  EXPECT_EQ(exchange->json().dump(), R"({"ok":true,"lines":[],"cursor":5})");
}

TEST_F(LogRouteTest, LimitsHowManyWait) {
  std::vector<std::shared_ptr<RecordedExchange>> waiting;
  for (std::size_t index = 0; index < LogRoute::kMaxWaiters; ++index) {
    waiting.push_back(send("wait=1000"));
    finishRead({}, 1);
  }
  const auto refused = send("wait=1000");
  EXPECT_EQ(refused->status(), 503U);
  EXPECT_EQ(refused->errorCode(), "overloaded");
  waiting.front()->disconnect();
  const auto admitted = send("wait=1000");
  ASSERT_EQ(reads_.size(), 1U);
  finishRead({"{}"}, 2);
  EXPECT_EQ(admitted->status(), 200U);
}

}  // namespace
}  // namespace svc::rpc
