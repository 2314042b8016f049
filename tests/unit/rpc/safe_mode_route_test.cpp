#include "safe_mode_route.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "mocks/mock_plugin_manager.h"
#include "mocks/recorded_exchange.h"

namespace svc::rpc {
namespace {

using plugins::SafeModeState;
using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;
using ::testing::_;
using ::testing::HasSubstr;
using ::testing::StrictMock;

class SafeModeRouteTest : public ::testing::Test {
 protected:
  SafeModeRouteTest() { EXPECT_TRUE(route_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> send(const std::string& method, std::string body = {}) {
    http::Request request;
    request.body = std::move(body);
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(method + " /api/v1/plugins/safe-mode", exchange);
    return exchange;
  }

  RecordedRoutes server_;
  StrictMock<plugins::MockPluginManager> manager_;
  SafeModeRoute route_{manager_};
};

TEST_F(SafeModeRouteTest, ShowsTheState) {
  EXPECT_CALL(manager_, safeMode).WillOnce([](auto done) {
    done(SafeModeState{.enabled = true, .problems = {}});
  });
  EXPECT_EQ(send("GET")->json().dump(), R"({"ok":true,"enabled":true})");
}

TEST_F(SafeModeRouteTest, TurnsItOn) {
  EXPECT_CALL(manager_, setSafeMode(true, _)).WillOnce([](bool, auto done) {
    done(SafeModeState{.enabled = true, .problems = {}});
  });
  EXPECT_EQ(send("PUT", R"({"enabled":true})")->json().dump(), R"({"ok":true,"enabled":true})");
}

TEST_F(SafeModeRouteTest, TurningItOffNamesWhatDoesNotRun) {
  EXPECT_CALL(manager_, setSafeMode(false, _)).WillOnce([](bool, auto done) {
    plugins::PluginRecord broken;
    broken.id = "broken";
    broken.status = plugins::PluginStatus::kError;
    broken.status_detail = "boom";
    plugins::PluginRecord off;
    off.id = "off";
    off.status = plugins::PluginStatus::kDisabled;
    done(SafeModeState{.enabled = false, .problems = {broken, off}});
  });
  EXPECT_EQ(send("PUT", R"({"enabled":false})")->json().dump(),
            R"({"ok":true,"enabled":false,"problems":[)"
            R"({"id":"broken","status":"error","statusDetail":"boom"},)"
            R"({"id":"off","status":"disabled","statusDetail":null}]})");
}

TEST_F(SafeModeRouteTest, RefusesABodyWithoutTheState) {
  for (const std::string body : {"", "{", "[]", "{}", R"({"enabled":"yes"})"}) {
    EXPECT_EQ(send("PUT", body)->status(), 400U) << body;
  }
  EXPECT_THAT(send("PUT", "{}")->json().dump(), HasSubstr("enabled: Expected true or false"));
}

TEST_F(SafeModeRouteTest, PassesFailuresOn) {
  EXPECT_CALL(manager_, setSafeMode(true, _)).WillOnce([](bool, auto done) {
    done(Error{errc::kUnavailable, "disk full"});
  });
  EXPECT_EQ(send("PUT", R"({"enabled":true})")->status(), 503U);
}

}  // namespace
}  // namespace svc::rpc
