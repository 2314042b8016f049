#include "token_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "mocks/mock_plugin_manager.h"
#include "mocks/recorded_exchange.h"
#include "workers.h"

namespace svc::routes {
namespace {

using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;

class TokenRouteTest : public ::testing::Test {
 protected:
  TokenRouteTest() {
    EXPECT_TRUE(route.attach(server).ok());
    ON_CALL(manager, get).WillByDefault([](const std::string& id, auto done) {
      if (id == "todo") {
        done(plugins::PluginRecord{});
      } else {
        done(Error{errc::kUnknownPlugin, "no plugin"});
      }
    });
  }
  std::shared_ptr<RecordedExchange> send(std::string body, const std::string& id = "todo") {
    http::Request request;
    request.method = "POST";
    request.path_parameters = {{"id", id}};
    request.body = std::move(body);
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server.call("POST /api/v1/plugins/:id/token", exchange);
    workers.runAll();
    return exchange;
  }

  Scratch scratch;
  ManualWorkers workers;
  RecordedRoutes server;
  ::testing::NiceMock<plugins::MockPluginManager> manager;
  TokenRoute route{manager, std::make_shared<Tokens>(scratch.path, workers, nullptr)};
};

TEST_F(TokenRouteTest, IssuesAndRotates) {
  const auto first = send("");
  EXPECT_EQ(first->status(), 200U);
  const auto token = first->json()["token"].asString();
  EXPECT_EQ(token.size(), 64U);
  EXPECT_EQ(send("{}")->json()["token"].asString(), token);
  EXPECT_EQ(send(R"({"rotate":false})")->json()["token"].asString(), token);
  EXPECT_NE(send(R"({"rotate":true})")->json()["token"].asString(), token);
}

TEST_F(TokenRouteTest, TheAnswerIsNotCached) {
  EXPECT_EQ(send("")->answer->headers.at(0).value, "no-store");
  EXPECT_EQ(server.routeOf("POST /api/v1/plugins/:id/token").guard, http::Guard::kLocal);
}

TEST_F(TokenRouteTest, RefusesOtherBodies) {
  EXPECT_EQ(send("{")->errorCode(), "invalid_json");
  for (const auto* body : {"[]", "null", R"({"rotate":"yes"})", R"({"rotate":null})"}) {
    EXPECT_EQ(send(body)->errorCode(), "invalid_input") << body;
  }
}

TEST_F(TokenRouteTest, AnUnknownPluginGetsNone) {
  const auto exchange = send("", "../../etc");
  EXPECT_EQ(exchange->status(), 404U);
  EXPECT_EQ(exchange->errorCode(), "unknown_plugin");
  EXPECT_TRUE(std::filesystem::is_empty(scratch.path));
}

}  // namespace
}  // namespace svc::routes
