#include "cli_call.h"

#include "svc/common/codes.h"
#include "svc/common/limits/cli.h"

#include "command_fixture.h"
#include "mocks/mock_reactor.h"
#include "mocks/recorded_exchange.h"

namespace svc::cli {
namespace {

using svc::test::FakeReactor;
using svc::test::RecordedExchange;
using ::testing::_;

constexpr auto kBody = R"({"argv":["list"],"cwd":"/w"})";

class CliCallTest : public CommandFixture {
 protected:
  CliCallTest() {
    ON_CALL(loaded_, acquire).WillByDefault([this](const std::string& id, auto done) {
      done(plugins::GenerationPtr(generations_.at(id)));
    });
    todo_ = load("todo", R"({"name":"todo"})");
    ON_CALL(*todo_, invoke)
        .WillByDefault([this](const std::string& source, script::Invocation invocation, auto done) {
          source_ = source;
          invocation_ = std::move(invocation);
          done_ = std::move(done);
        });
  }

  void TearDown() override {
    done_ = {};
    reactor_.runAll();
  }

  std::shared_ptr<RecordedExchange> send(std::string body = kBody) {
    http::Request request;
    request.path_parameters = {{"id", "todo"}};
    request.body = std::move(body);
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    std::make_shared<CliCall>(exchange, reactor_)->start(loaded_);
    reactor_.runAll();
    return exchange;
  }
  void finish(Result<std::string> result) {
    std::exchange(done_, {})(std::move(result));
    reactor_.runAll();
  }

  FakeReactor reactor_;
  std::shared_ptr<FakeCommandGeneration> todo_;
  std::string source_;
  script::Invocation invocation_;
  Completion<std::string> done_;
};

TEST_F(CliCallTest, AnswersAQuickCommandAsPlainJson) {
  const auto exchange = send();
  EXPECT_EQ(source_, "cli");
  EXPECT_EQ(invocation_.function, "cli");
  EXPECT_EQ(invocation_.body, kBody);
  finish(std::string(R"({"exitCode":3,"stdout":"a","stderr":""})"));
  EXPECT_EQ(exchange->status(), 200U);
  EXPECT_EQ(exchange->answer->body, R"({"ok":true,"exitCode":3,"stdout":"a","stderr":""})");
  EXPECT_FALSE(exchange->head.has_value());
  EXPECT_EQ(reactor_.pendingTimers(), 0U);
}

TEST_F(CliCallTest, RefusesBadRequestsWithIssues) {
  EXPECT_EQ(send("{")->errorCode(), "invalid_json");
  EXPECT_EQ(send("[]")->errorCode(), "invalid_input");
  const auto exchange = send(R"({"argv":["a",1],"cwd":5,"threadId":null})");
  EXPECT_EQ(exchange->status(), 400U);
  EXPECT_EQ(
      exchange->json()["error"]["issues"].dump(),
      R"([{"message":"Expected a string","path":["argv",1]},{"message":"Expected a string","path":["cwd"]},)"
      R"({"message":"Expected a string","path":["threadId"]}])");
  EXPECT_EQ(send("{}")->json()["error"]["issues"].dump(),
            R"([{"message":"Expected an array of strings","path":["argv"]}])");
  EXPECT_EQ(source_, "");
}

TEST_F(CliCallTest, IgnoresUnknownMembers) {
  send(R"({"argv":[],"later":1})");
  EXPECT_EQ(source_, "cli");
}

TEST_F(CliCallTest, AnswersAPluginWithoutACommand) {
  todo_->registration_now = {};
  const auto exchange = send();
  EXPECT_EQ(exchange->status(), 404U);
  EXPECT_EQ(exchange->errorCode(), "unknown_command");
  EXPECT_EQ(exchange->json()["error"]["details"]["pluginId"].asString(), "todo");
}

TEST_F(CliCallTest, AnswersAPluginThatDoesNotRun) {
  ON_CALL(loaded_, acquire).WillByDefault([](const std::string&, auto done) {
    done(Error{errc::kPluginNotRunning, "down", R"({"pluginId":"todo","status":"error"})"});
  });
  const auto exchange = send();
  EXPECT_EQ(exchange->status(), 503U);
  EXPECT_EQ(exchange->json()["error"]["details"]["status"].asString(), "error");
}

constexpr auto kOwnBody = R"({"argv":["list"],"callerPluginId":"todo"})";

TEST_F(CliCallTest, RefusesAPluginThatIsLoadingItsOwnCommands) {
  generations_.clear();
  ON_CALL(loaded_, acquire).WillByDefault([](const std::string&, auto done) {
    done(Error{errc::kPluginNotRunning, "no", R"({"pluginId":"todo","status":"starting"})"});
  });
  const auto exchange = send(kOwnBody);
  EXPECT_EQ(exchange->status(), 503U);
  EXPECT_EQ(exchange->json()["error"].dump(),
            R"({"code":"plugin_not_running","message":"plugin \"todo\" is still loading; its own )"
            R"(commands answer when its factory has returned","details":{"pluginId":"todo"}})");
  // Others wait until it runs, and it learns why it does not run when that is something else.
  EXPECT_EQ(send()->json()["error"]["details"]["status"].asString(), "starting");
  ON_CALL(loaded_, acquire).WillByDefault([](const std::string&, auto done) {
    done(Error{errc::kPluginNotRunning, "disabled", R"({"pluginId":"todo","status":"disabled"})"});
  });
  EXPECT_EQ(send(kOwnBody)->json()["error"]["message"].asString(), "disabled");
}

TEST_F(CliCallTest, RefusesItWhereOthersAreHeldUntilItIsLoaded) {
  const auto loading = std::exchange(generations_, {}).at("todo");
  std::vector<Completion<plugins::GenerationPtr>> held;
  ON_CALL(loaded_, acquire).WillByDefault([&held](const std::string&, auto done) {
    held.push_back(std::move(done));
  });
  const auto own = send(kOwnBody);
  EXPECT_EQ(own->errorCode(), "plugin_not_running");
  const auto other = send();
  EXPECT_EQ(other->answers, 0);
  EXPECT_CALL(*loading, invoke).Times(1);
  for (auto& each : held) {
    each(plugins::GenerationPtr(loading));
  }
}

TEST_F(CliCallTest, AnswersAFailedRun) {
  const auto exchange = send();
  finish(Error{errc::kHandlerError, "svc todo failed: no tea"});
  EXPECT_EQ(exchange->status(), 500U);
  EXPECT_EQ(exchange->json()["error"]["message"].asString(), "svc todo failed: no tea");
}

TEST_F(CliCallTest, ShowsLifeWhileTheCommandRuns) {
  const auto exchange = send();
  reactor_.advance(limits::kCliKeepAlive - std::chrono::milliseconds(1));
  EXPECT_FALSE(exchange->head.has_value());
  reactor_.advance(std::chrono::milliseconds(1));
  ASSERT_TRUE(exchange->head.has_value());
  EXPECT_EQ(exchange->head->status, 200U);
  EXPECT_EQ(exchange->head->headers[0].value, "no-store, no-transform");
  EXPECT_EQ(exchange->head->headers[1].name, "X-Accel-Buffering");
  EXPECT_EQ(exchange->head->headers[1].value, "no");
  reactor_.advance(2 * limits::kCliKeepAlive);
  EXPECT_EQ(exchange->written, "\n\n\n");
  finish(std::string(R"({"exitCode":0,"stdout":"","stderr":""})"));
  EXPECT_EQ(exchange->written,
            "\n\n\n{\"ok\":true,\"exitCode\":0,\"stdout\":\"\",\"stderr\":\"\"}");
  EXPECT_TRUE(exchange->ended);
  EXPECT_FALSE(exchange->answer.has_value());
  reactor_.advance(2 * limits::kCliKeepAlive);
  EXPECT_TRUE(exchange->written.ends_with('}'));
}

TEST_F(CliCallTest, ReportsALateFailureInTheStartedResponse) {
  const auto exchange = send();
  reactor_.advance(limits::kCliKeepAlive);
  finish(Error{errc::kHandlerError, "svc todo failed: x"});
  EXPECT_TRUE(
      exchange->written.starts_with("\n{\"ok\":false,\"error\":{\"code\":\"handler_error\""));
  EXPECT_TRUE(exchange->ended);
}

TEST_F(CliCallTest, EndsAtTheRunLimitAndDropsTheLateResult) {
  const auto exchange = send();
  reactor_.advance(limits::kCliRun);
  EXPECT_TRUE(exchange->ended);
  EXPECT_THAT(exchange->written, ::testing::HasSubstr(R"("code":"timeout")"));
  EXPECT_TRUE(invocation_.stop.stop_requested());
  const auto before = exchange->written;
  finish(std::string(R"({"exitCode":0})"));
  EXPECT_EQ(exchange->written, before);
}

TEST_F(CliCallTest, StopsTheRunWhenTheClientLeaves) {
  const auto exchange = send();
  EXPECT_FALSE(invocation_.stop.stop_requested());
  exchange->disconnect();
  EXPECT_TRUE(invocation_.stop.stop_requested());
  finish(Error{errc::kHandlerError, "stopped"});
}

}  // namespace
}  // namespace svc::cli
