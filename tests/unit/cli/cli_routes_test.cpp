#include "cli_routes.h"

#include "command_fixture.h"
#include "mocks/mock_reactor.h"
#include "mocks/recorded_exchange.h"

namespace svc::cli {
namespace {

using svc::test::FakeMainExecutor;
using svc::test::FakeReactor;
using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;

class CliRoutesTest : public CommandFixture {
 protected:
  CliRoutesTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }

  FakeReactor reactor_;
  FakeMainExecutor main_;
  RecordedRoutes server_;
  std::shared_ptr<Commands> commands_ = std::make_shared<Commands>(loaded_, main_);
  CliRoutes routes_{loaded_, reactor_, main_, commands_};
};

TEST_F(CliRoutesTest, ListsReachableCommands) {
  load(
      "todo",
      R"({"name":"todo","summary":"Todos","commands":[{"name":"list","summary":"Lists","usage":"todo list"}]})");
  load("z", R"({"name":"status"})");
  const auto exchange = std::make_shared<RecordedExchange>();
  server_.call("GET /api/v1/plugins/contributions", exchange);
  EXPECT_FALSE(exchange->answer.has_value());
  main_.runAll();
  EXPECT_EQ(
      exchange->answer->body,
      R"({"ok":true,"cliCommands":[{"pluginId":"todo","name":"todo","summary":"Todos",)"
      R"("commands":[{"name":"list","summary":"Lists","usage":"todo list"}],"rendersHelp":false}],)"
      R"("mentionProviders":[]})");
}

TEST_F(CliRoutesTest, GuardsTheRunRoute) {
  EXPECT_EQ(server_.routeOf("POST /api/v1/plugins/:id/cli").guard, http::Guard::kLocal);
  EXPECT_EQ(server_.routeCount(), 2U);
}

}  // namespace
}  // namespace svc::cli
