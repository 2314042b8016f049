#include "dev_session_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "dev_problems.h"
#include "fakes/fake_executor.h"
#include "mocks/mock_plugin_manager.h"
#include "mocks/recorded_exchange.h"

namespace svc::rpc {
namespace {

using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;
using ::testing::_;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFailing = R"({"problems":[{"kind":"app","message":"no"}]})";

class DevSessionRoutesTest : public ::testing::Test {
 protected:
  DevSessionRoutesTest() {
    EXPECT_TRUE(routes_.attach(server_).ok());
    ON_CALL(manager_, get("todo", _)).WillByDefault([](const std::string&, auto done) {
      done(plugins::PluginRecord{});
    });
    ON_CALL(manager_, get("gone", _)).WillByDefault([](const std::string&, auto done) {
      done(Error{errc::kUnknownPlugin, "no plugin gone"});
    });
  }

  std::shared_ptr<RecordedExchange> send(const std::string& method, const std::string& id = "todo",
                                         std::string body = R"({"problems":[]})") {
    http::Request request;
    request.body = std::move(body);
    request.path_parameters = {{"id", id}};
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(method + " /api/v1/plugins/:id/dev-session", exchange);
    return exchange;
  }
  bool isActive(const std::string& id = "todo") {
    return send("GET", id)->json()["active"].asBool();
  }

  RecordedRoutes server_;
  ::testing::NiceMock<plugins::MockPluginManager> manager_;
  svc::test::FakeMainExecutor main_;
  DevSessionRoutes routes_{manager_, main_};
};

TEST_F(DevSessionRoutesTest, LastsWhileItIsRenewed) {
  EXPECT_FALSE(isActive());
  EXPECT_EQ(send("PUT")->answer->body, R"({"ok":true})");
  EXPECT_TRUE(isActive());
  EXPECT_FALSE(isActive("notes"));
  main_.advance(kDevSession - std::chrono::milliseconds(1));
  EXPECT_TRUE(isActive());
  send("PUT");
  main_.advance(kDevSession - std::chrono::milliseconds(1));
  EXPECT_TRUE(isActive());
  main_.advance(std::chrono::milliseconds(1));
  EXPECT_FALSE(isActive());
}

TEST_F(DevSessionRoutesTest, ShowsTheBuildsThatFail) {
  EXPECT_EQ(send("GET")->answer->body, R"({"ok":true,"active":false,"problems":[]})");
  const std::string failing =
      R"({"problems":[{"kind":"app","message":"app.tsx:1:2: no"},{"kind":"host","message":"b"}]})";
  send("PUT", "todo", failing);
  EXPECT_EQ(send("GET")->answer->body, R"({"ok":true,"active":true,)" + failing.substr(1));
  send("PUT");
  EXPECT_EQ(send("GET")->answer->body, R"({"ok":true,"active":true,"problems":[]})");
  EXPECT_EQ(send("PUT", "todo", "{}")->errorCode(), "invalid_input");
}

TEST_F(DevSessionRoutesTest, EndsWhenItIsSaid) {
  send("PUT");
  EXPECT_EQ(send("DELETE")->answer->body, R"({"ok":true})");
  EXPECT_FALSE(isActive());
}

TEST_F(DevSessionRoutesTest, WhatItSaidOfBuildsGoesWithIt) {
  EXPECT_CALL(manager_, setDevProblems("todo", IsEmpty(), _));
  send("PUT", "todo", kFailing);
  send("DELETE");
  send("DELETE");
  main_.advance(2 * kDevSession);
}

TEST_F(DevSessionRoutesTest, WhatItSaidOfBuildsGoesWhenItLapses) {
  EXPECT_CALL(manager_, setDevProblems).Times(0);
  send("PUT", "todo", kFailing);
  main_.advance(kDevSession - std::chrono::milliseconds(1));
  ::testing::Mock::VerifyAndClearExpectations(&manager_);
  EXPECT_CALL(manager_, setDevProblems("todo", IsEmpty(), _));
  main_.advance(std::chrono::milliseconds(1));
  EXPECT_FALSE(isActive());
  main_.advance(kDevSession);
}

TEST_F(DevSessionRoutesTest, TakesABoundedNumberOfFailingBuilds) {
  const auto many = [](std::size_t count) {
    auto list = common::Json::array();
    for (std::size_t at = 0; at < count; ++at) {
      list.push(common::Json::object().set("kind", "app").set("message", "no"));
    }
    return common::Json::object().set("problems", std::move(list)).dump();
  };
  EXPECT_EQ(send("PUT", "todo", many(kDevProblems))->answer->body, R"({"ok":true})");
  const auto refused = send("PUT", "todo", many(kDevProblems + 1));
  EXPECT_EQ(refused->errorCode(), "invalid_input");
  EXPECT_THAT(refused->answer->body,
              HasSubstr("Expected at most 16 problems (limit devProblems), got 17"));
}

TEST_F(DevSessionRoutesTest, IsOfPluginsThatThereAre) {
  EXPECT_EQ(send("PUT", "gone")->errorCode(), "unknown_plugin");
  EXPECT_FALSE(isActive("gone"));
}

}  // namespace
}  // namespace svc::rpc
