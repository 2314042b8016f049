#include "rpc_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/http.h"

#include "mocks/mock_generation.h"
#include "mocks/mock_loaded_plugins.h"
#include "mocks/reactor_clock.h"
#include "mocks/recorded_exchange.h"

namespace svc::rpc {
namespace {

using svc::test::FakeReactor;
using svc::test::ReactorClock;
using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;
using ::testing::_;
using ::testing::StrictMock;

constexpr auto kRpcRoute = "POST /api/v1/plugins/:id/rpc/:method";

/// What the plugin was asked, with the means to answer.
struct Asked {
  std::string source;
  script::Invocation invocation;
  Completion<std::string> done;
};

class RpcRouteTest : public ::testing::Test {
 protected:
  RpcRouteTest() { EXPECT_TRUE(route_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> send(std::string body = "{}") {
    http::Request request;
    request.method = "POST";
    request.path_parameters = {{"id", "todo"}, {"method", "todos_add"}};
    request.body = std::move(body);
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(kRpcRoute, exchange);
    return exchange;
  }

  void expectLoaded() {
    EXPECT_CALL(loaded_, acquire("todo", _)).WillRepeatedly([this](const std::string&, auto done) {
      done(plugins::GenerationPtr(generation_));
    });
    EXPECT_CALL(*generation_, invoke)
        .WillRepeatedly([this](std::string source, script::Invocation invocation, auto done) {
          asked_.push_back({std::move(source), std::move(invocation), std::move(done)});
        });
  }

  FakeReactor reactor_;
  ReactorClock clock_{reactor_};
  RecordedRoutes server_;
  StrictMock<plugins::MockLoadedPlugins> loaded_;
  std::shared_ptr<StrictMock<plugins::MockGeneration>> generation_ =
      std::make_shared<StrictMock<plugins::MockGeneration>>();
  std::vector<Asked> asked_;
  RpcRoute route_{loaded_, reactor_, clock_};
};

TEST_F(RpcRouteTest, GuardsTheRouteAndLimitsItsBody) {
  EXPECT_EQ(server_.routeOf(kRpcRoute).guard, http::Guard::kLocal);
  EXPECT_EQ(server_.routeOf(kRpcRoute).body_limit.get(), limits::kRpcBody);
}

TEST_F(RpcRouteTest, NamesThePluginThatCalls) {
  expectLoaded();
  http::Request request;
  request.method = "POST";
  request.path_parameters = {{"id", "todo"}, {"method", "todos_add"}};
  request.caller_plugin = "other";
  server_.call(kRpcRoute, std::make_shared<RecordedExchange>(std::move(request)));
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].invocation.meta, "\nother\ntodos_add");
}

TEST_F(RpcRouteTest, LetsNoClientNameACaller) {
  expectLoaded();
  http::Request request;
  request.method = "POST";
  request.path_parameters = {{"id", "todo"}, {"method", "\nother\ntodos_add"}};
  server_.call(kRpcRoute, std::make_shared<RecordedExchange>(std::move(request)));
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].invocation.meta, "\n\n\nother\ntodos_add");
}

TEST_F(RpcRouteTest, PassesTheBodyOnAndWrapsTheResult) {
  expectLoaded();
  const auto exchange = send(R"({"title":"tea"})");
  ASSERT_EQ(asked_.size(), 1U);
  EXPECT_EQ(asked_[0].source, "rpc:todos_add");
  EXPECT_EQ(asked_[0].invocation.function, "rpc");
  EXPECT_EQ(asked_[0].invocation.meta, "todos_add");
  EXPECT_EQ(asked_[0].invocation.body, R"({"title":"tea"})");
  EXPECT_FALSE(exchange->answer.has_value());
  asked_[0].done(std::string(R"({"id":1})"));
  EXPECT_EQ(exchange->status(), 200U);
  EXPECT_EQ(exchange->answer->body, R"({"ok":true,"result":{"id":1}})");
  ASSERT_EQ(exchange->answer->headers.size(), 1U);
  EXPECT_EQ(exchange->answer->headers[0].name, "Cache-Control");
  EXPECT_EQ(exchange->answer->headers[0].value, "no-store");
}

TEST_F(RpcRouteTest, AnswersAFailureOfThePluginWithItsId) {
  expectLoaded();
  const auto exchange = send();
  Error failure{errc::kInvalidInput, "title: too short", R"({"code":"E"})"};
  failure.issues = R"([{"message":"too short","path":["title"]}])";
  asked_[0].done(std::move(failure));
  EXPECT_EQ(exchange->status(), 400U);
  EXPECT_EQ(exchange->answer->headers.at(0).name, "Cache-Control");
  EXPECT_EQ(exchange->answer->headers.at(0).value, "no-store");
  EXPECT_EQ(
      exchange->json().dump(),
      R"({"ok":false,"error":{"code":"invalid_input","message":"title: too short",)"
      R"("issues":[{"message":"too short","path":["title"]}],"details":{"code":"E","pluginId":"todo"}}})");
}

TEST_F(RpcRouteTest, AnswersAnUnknownPlugin) {
  EXPECT_CALL(loaded_, acquire).WillOnce([](const std::string&, auto done) {
    done(Error{errc::kUnknownPlugin, "no plugin \"todo\"", R"({"pluginId":"todo"})"});
  });
  const auto exchange = send();
  EXPECT_EQ(exchange->status(), 404U);
  EXPECT_EQ(exchange->errorCode(), "unknown_plugin");
}

TEST_F(RpcRouteTest, AnswersWhenThePluginDropsTheCall) {
  expectLoaded();
  const auto exchange = send();
  asked_.clear();
  EXPECT_EQ(exchange->errorCode(), "aborted");
}

TEST_F(RpcRouteTest, StopsTheCallWhenTheClientLeaves) {
  expectLoaded();
  const auto exchange = send();
  EXPECT_FALSE(asked_[0].invocation.stop.stop_requested());
  exchange->disconnect();
  EXPECT_TRUE(asked_[0].invocation.stop.stop_requested());
}

TEST_F(RpcRouteTest, TimesOutOnceAndDropsTheLateResult) {
  expectLoaded();
  const auto exchange = send();
  reactor_.advance(limits::kRpcTimeout - std::chrono::milliseconds(1));
  EXPECT_FALSE(exchange->answer.has_value());
  reactor_.advance(std::chrono::seconds(1));
  EXPECT_EQ(exchange->status(), 504U);
  EXPECT_EQ(exchange->errorCode(), "timeout");
  EXPECT_EQ(exchange->json()["error"]["details"]["pluginId"].asString(), "todo");
  EXPECT_TRUE(asked_[0].invocation.stop.stop_requested());
  asked_[0].done(std::string("1"));
  EXPECT_EQ(exchange->answers, 1);
}

TEST_F(RpcRouteTest, TimesOutEachCallAtItsOwnTime) {
  expectLoaded();
  const auto first = send();
  reactor_.advance(std::chrono::seconds(40));
  const auto second = send();
  reactor_.advance(std::chrono::seconds(36));
  EXPECT_EQ(first->errorCode(), "timeout");
  EXPECT_FALSE(second->answer.has_value());
  reactor_.advance(std::chrono::seconds(40));
  EXPECT_EQ(second->errorCode(), "timeout");
}

TEST_F(RpcRouteTest, KeepsNoTimerWhileNothingWaits) {
  expectLoaded();
  send();
  send();
  EXPECT_EQ(reactor_.pendingTimers(), 1U);
  for (auto& asked : asked_) {
    asked.done(std::string("1"));
  }
  reactor_.advance(std::chrono::seconds(2));
  EXPECT_EQ(reactor_.pendingTimers(), 0U);
  send();
  EXPECT_EQ(reactor_.pendingTimers(), 1U);
}

TEST_F(RpcRouteTest, DoesNotCallAPluginWhoseHandOverOutlastedTheLimit) {
  Completion<plugins::GenerationPtr> held;
  EXPECT_CALL(loaded_, acquire).WillOnce([&held](const std::string&, auto done) {
    held = std::move(done);
  });
  const auto exchange = send();
  reactor_.advance(limits::kRpcTimeout + std::chrono::seconds(1));
  EXPECT_EQ(exchange->errorCode(), "timeout");
  held(plugins::GenerationPtr(generation_));  // the strict mock refuses an invoke
}

TEST_F(RpcRouteTest, RefusesABodyThatIsNotUtf8) {
  expectLoaded();
  const auto exchange = send("\"\xff\"");
  EXPECT_EQ(exchange->status(), 400U);
  EXPECT_EQ(exchange->errorCode(), "invalid_json");
  EXPECT_TRUE(asked_.empty());
}

}  // namespace
}  // namespace svc::rpc
