#include "dev_session_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "fakes/fake_clock.h"
#include "mocks/mock_plugin_manager.h"
#include "mocks/recorded_exchange.h"

namespace svc::rpc {
namespace {

using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;
using ::testing::_;

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
  svc::test::FakeClock clock_;
  DevSessionRoutes routes_{manager_, clock_};
};

TEST_F(DevSessionRoutesTest, LastsWhileItIsRenewed) {
  EXPECT_FALSE(isActive());
  EXPECT_EQ(send("PUT")->answer->body, R"({"ok":true})");
  EXPECT_TRUE(isActive());
  EXPECT_FALSE(isActive("notes"));
  clock_.advance(kDevSession - std::chrono::milliseconds(1));
  EXPECT_TRUE(isActive());
  send("PUT");
  clock_.advance(kDevSession - std::chrono::milliseconds(1));
  EXPECT_TRUE(isActive());
  clock_.advance(std::chrono::milliseconds(1));
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

TEST_F(DevSessionRoutesTest, IsOfPluginsThatThereAre) {
  EXPECT_EQ(send("PUT", "gone")->errorCode(), "unknown_plugin");
  EXPECT_FALSE(isActive("gone"));
}

}  // namespace
}  // namespace svc::rpc
