#include "tool_routes.h"

#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/limits/cli.h"

#include "fakes/fake_executor.h"
#include "fakes/fake_generation.h"
#include "mocks/mock_reactor.h"
#include "mocks/reactor_clock.h"
#include "mocks/recorded_exchange.h"

namespace svc::agents {
namespace {

using std::chrono::milliseconds;
using test::RecordedExchange;

constexpr const char* kCall = "POST /api/v1/plugins/:id/tools/:name";

class ToolRoutesTest : public ::testing::Test {
 protected:
  ToolRoutesTest() {
    generation_->registers(
        "agent-tools",
        R"([{"name":"add","description":"Adds","inputSchema":{"type":"object"},"instructions":"Mind."}])");
    EXPECT_TRUE(routes_.attach(server_).ok());
  }
  void runAll() {
    reactor_.runAll();
    main_.runAll();
    reactor_.runAll();
  }
  std::shared_ptr<RecordedExchange> send(const std::string& route, const std::string& id = "todo",
                                         const std::string& query = "") {
    http::Request request;
    request.path_parameters = {{"id", id}, {"name", "add"}};
    request.query = query;
    request.body = R"({"title":"tea"})";
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    runAll();
    return exchange;
  }
  void answer(Result<std::string> result) {
    ASSERT_TRUE(generation_->answer("agents.callTool", std::move(result)));
    runAll();
  }

  test::FakeReactor reactor_;
  test::ReactorClock clock_{reactor_};
  test::FakeMainExecutor main_;
  plugins::FakeLoadedPlugins loaded_;
  std::shared_ptr<plugins::FakeGeneration> generation_ = loaded_.load("todo");
  std::shared_ptr<AgentTools> tools_ = std::make_shared<AgentTools>(loaded_, main_, clock_);
  test::RecordedRoutes server_;
  std::shared_ptr<FormPages> pages_ = std::make_shared<FormPages>();
  ToolRoutes routes_{loaded_, reactor_, main_, clock_, tools_, pages_};
};

TEST_F(ToolRoutesTest, ListsWhatIsRegisteredWithItsHolderAndItsNumbers) {
  loaded_.load("zoo")->registers("agent-tools", R"([{"name":"add"}])");
  send(kCall);
  reactor_.advance(milliseconds(7));
  answer(std::string("1\n[]"));
  const auto all = send("GET /api/v1/agent-tools")->json()["tools"];
  ASSERT_EQ(all.items().size(), 2U);
  EXPECT_EQ(
      all.items()[0].dump(),
      R"({"pluginId":"todo","name":"add","description":"Adds","inputSchema":{"type":"object"},)"
      R"("instructions":"Mind.","presentation":null,"offered":true,"holder":"todo",)"
      R"("calls":1,"errors":1,"totalMs":7.0})");
  const auto own = send("GET /api/v1/plugins/:id/tools", "zoo")->json()["tools"];
  ASSERT_EQ(own.items().size(), 1U);
  EXPECT_FALSE(own.items()[0]["offered"].asBool());
  EXPECT_EQ(own.items()[0]["holder"].asString(), "todo");
  EXPECT_EQ(send("GET /api/v1/plugins/:id/tools", "gone")->errorCode(), "unknown_plugin");
}

TEST_F(ToolRoutesTest, CallsAToolAndSaysHowLongItTook) {
  const auto exchange = send(kCall);
  ASSERT_EQ(generation_->calls.size(), 1U);
  EXPECT_EQ(generation_->calls[0].invocation.body, R"({"title":"tea"})");
  EXPECT_EQ(generation_->calls[0].invocation.meta,
            R"({"name":"add","threadId":null,"projectId":null})");
  reactor_.advance(milliseconds(12));
  answer(std::string(R"(1
[{"type":"text","text":"no tea"}])"));
  EXPECT_EQ(
      exchange->answer->body,
      R"({"ok":true,"content":[{"type":"text","text":"no tea"}],"isError":true,"durationMs":12.0})");
  EXPECT_EQ(reactor_.pendingTimers(), 0U);
}

TEST_F(ToolRoutesTest, RefusesWhatIsNotThere) {
  EXPECT_EQ(send(kCall, "gone")->errorCode(), "unknown_plugin");
  generation_->registers("agent-tools", "[]");
  const auto exchange = send(kCall);
  EXPECT_EQ(exchange->status(), 404U);
  EXPECT_EQ(exchange->json()["error"]["message"].asString(), R"(plugin "todo" has no tool "add")");
  EXPECT_TRUE(generation_->calls.empty());
}

TEST_F(ToolRoutesTest, AbortsTheToolWhenTheClientLeaves) {
  const auto exchange = send(kCall);
  EXPECT_FALSE(generation_->calls.at(0).invocation.stop.stop_requested());
  exchange->disconnect();
  EXPECT_TRUE(generation_->calls.at(0).invocation.stop.stop_requested());
  answer(Error{errc::kAborted, "aborted"});
}

TEST_F(ToolRoutesTest, ShowsLifeWhileTheToolRuns) {
  const auto exchange = send(kCall);
  reactor_.advance(limits::kCliKeepAlive);
  reactor_.advance(limits::kCliKeepAlive);
  EXPECT_EQ(exchange->written, "\n\n");
  answer(std::string("0\n[]"));
  EXPECT_EQ(exchange->written,
            "\n\n"
            R"({"ok":true,"content":[],"isError":false,"durationMs":20000.0})");
  EXPECT_TRUE(exchange->ended);
}

TEST_F(ToolRoutesTest, WritesProgressForWhoAsks) {
  const auto exchange = send(kCall, "todo", "progress=true");
  const auto meta = common::Json::parse(generation_->calls.at(0).invocation.meta).value();
  const auto report = common::Json::object().set("call", meta["call"]).set("progress", 1);
  tools_->calls()->listeners().tell(
      common::Json(report).set("total", 4).set("message", "a quarter"));
  tools_->calls()->listeners().tell(common::Json(report));
  runAll();
  answer(std::string("0\n[]"));
  EXPECT_EQ(exchange->written, R"({"progress":1.0,"total":4.0,"message":"a quarter"})"
                               "\n"
                               R"({"progress":1.0})"
                               "\n"
                               R"({"ok":true,"content":[],"isError":false,"durationMs":0.0})");
}

TEST_F(ToolRoutesTest, NamesTheFormsOfItsToolForAWindowThatShowsThem) {
  std::vector<std::string> opened;
  std::vector<std::string> cancelled;
  std::optional<Completion<common::RawJson>> waiting;
  const auto served =
      pages_->serve({.open =
                         [&](FormRequest request, Completion<common::RawJson> done) {
                           opened.push_back(request.title);
                           waiting.emplace(std::move(done));
                           return std::string("f1");
                         },
                     .cancel =
                         [&](const std::string& id, const std::string& reason) {
                           cancelled.push_back(id + " " + reason);
                           (*waiting)(common::RawJson(R"({"outcome":"cancelled"})"));
                         }});
  const auto exchange = send(kCall, "todo", "forms=true");
  const auto meta = common::Json::parse(generation_->calls.at(0).invocation.meta).value();
  std::vector<std::string> outcomes;
  const auto ask = [&](const char* title) {
    tools_->calls()->forms().ask(
        "todo",
        common::Json::object()
            .set("call", meta["form"])
            .set("rendererId", "sure")
            .set("title", title)
            .set("payload", common::Json())
            .dump(),
        [&](Result<std::string> outcome) {
          outcomes.push_back(outcome ? outcome.value() : outcome.error().message);
        });
    runAll();
  };
  ask("Sure?");
  EXPECT_EQ(exchange->written, "{\"formId\":\"f1\"}\n");
  ask("And?");
  EXPECT_EQ(opened, std::vector<std::string>{"Sure?"});
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_NE(outcomes[0].find("another form"), std::string::npos);
  answer(std::string("0\n[]"));
  EXPECT_EQ(cancelled, std::vector<std::string>{"f1 request-aborted"});
  EXPECT_EQ(outcomes.at(1), R"({"outcome":"cancelled"})");
}

TEST_F(ToolRoutesTest, ShowsNoFormsToWhoDoesNotAskForThem) {
  const auto served = pages_->serve({.open = {}, .cancel = {}});
  send(kCall);
  EXPECT_TRUE(
      common::Json::parse(generation_->calls.at(0).invocation.meta).value()["form"].isNull());
  answer(std::string("0\n[]"));
}

TEST_F(ToolRoutesTest, GivesUpAfterTheLimitOfCommands) {
  const auto exchange = send(kCall);
  reactor_.advance(limits::kCliRun);
  EXPECT_TRUE(generation_->calls.at(0).invocation.stop.stop_requested());
  EXPECT_NE(exchange->written.find("did not end within 60 min"), std::string::npos);
  answer(Error{errc::kAborted, "aborted"});
}

}  // namespace
}  // namespace svc::agents
