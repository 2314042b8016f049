#include "settings_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mocks/mock_plugin_settings.h"
#include "mocks/recorded_exchange.h"

namespace svc::rpc {
namespace {

using common::Json;
using common::RawJson;
using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;
using ::testing::_;
using ::testing::StrictMock;

class SettingsRoutesTest : public ::testing::Test {
 protected:
  SettingsRoutesTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> send(const std::string& method, std::string body = {}) {
    http::Request request;
    request.path_parameters = {{"id", "todo"}};
    request.body = std::move(body);
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(method + " /api/v1/plugins/:id/settings", exchange);
    return exchange;
  }

  RecordedRoutes server_;
  StrictMock<plugins::MockPluginSettings> settings_;
  SettingsRoutes routes_{settings_};
};

TEST_F(SettingsRoutesTest, ShowsSchemaAndValues) {
  EXPECT_CALL(settings_, get("todo", _)).WillOnce([](const std::string&, auto done) {
    done(RawJson(R"({"schema":{"a":{"type":"number"}},"values":{"a":1},"more":2})"));
  });
  const auto exchange = send("GET");
  EXPECT_EQ(exchange->answer->body,
            R"({"ok":true,"schema":{"a":{"type":"number"}},"values":{"a":1}})");
  ASSERT_EQ(exchange->answer->headers.size(), 1U);
  EXPECT_EQ(exchange->answer->headers.front().value, "no-store");
}

TEST_F(SettingsRoutesTest, IsNotThereBeforeALoad) {
  EXPECT_CALL(settings_, get).WillOnce([](const std::string&, auto done) {
    done(Error{errc::kPluginNotRunning, "not loaded"});
  });
  const auto exchange = send("GET");
  EXPECT_EQ(exchange->status(), 503U);
  EXPECT_EQ(exchange->json()["error"]["details"]["pluginId"].asString(), "todo");
}

TEST_F(SettingsRoutesTest, SavesTheValuesAsSent) {
  EXPECT_CALL(settings_, save("todo", _, _))
      .WillOnce([](const std::string&, const Json& values, auto done) {
        EXPECT_EQ(values.dump(), R"({"a":null,"b":"x"})");
        done(RawJson(R"({"schema":{},"values":{}})"));
      });
  EXPECT_EQ(send("PUT", R"({"values":{"a":null,"b":"x"},"ignored":1})")->status(), 200U);
}

TEST_F(SettingsRoutesTest, PassesTheIssuesOfASaveOn) {
  EXPECT_CALL(settings_, save).WillOnce([](const std::string&, const Json&, auto done) {
    Error refused{errc::kInvalidInput, "the settings are not valid"};
    refused.issues = R"([{"message":"no","path":["values","a"]}])";
    done(refused);
  });
  const auto exchange = send("PUT", R"({"values":{"a":1}})");
  EXPECT_EQ(exchange->status(), 400U);
  EXPECT_EQ(exchange->json()["error"]["issues"].dump(),
            R"([{"message":"no","path":["values","a"]}])");
}

TEST_F(SettingsRoutesTest, RefusesHalfASurrogatePairAsThePluginDoes) {
  const auto exchange = send("PUT", R"({"values":{"fine":"\ud83d\ude00","name":"a\ud83d"}})");
  EXPECT_EQ(exchange->errorCode(), "invalid_input");
  EXPECT_EQ(exchange->json()["error"]["issues"].dump(),
            R"([{"message":"Expected well-formed Unicode text","path":["values","name"]}])");
}

TEST_F(SettingsRoutesTest, RefusesABodyWithoutAnObjectOfValues) {
  for (const auto* body : {"{}", R"({"values":[]})", R"({"values":null})", "[]"}) {
    const auto exchange = send("PUT", body);
    EXPECT_EQ(exchange->errorCode(), "invalid_input") << body;
    EXPECT_EQ(exchange->json()["error"]["issues"].items().size(), 1U) << body;
  }
  EXPECT_EQ(send("PUT", "")->errorCode(), "invalid_json");
  EXPECT_EQ(send("PUT", "{")->errorCode(), "invalid_json");
}

}  // namespace
}  // namespace svc::rpc
