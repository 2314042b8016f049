#include "management_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "mocks/mock_plugin_manager.h"
#include "mocks/recorded_exchange.h"

namespace svc::rpc {
namespace {

using common::Json;
using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;
using ::testing::_;
using ::testing::StrictMock;

plugins::PluginRecord record(std::string id,
                             plugins::PluginStatus status = plugins::PluginStatus::kRunning) {
  plugins::PluginRecord made;
  made.id = std::move(id);
  made.status = status;
  return made;
}

class ManagementRoutesTest : public ::testing::Test {
 protected:
  ManagementRoutesTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> send(const std::string& route, std::string query = {},
                                         std::string body = {}) {
    http::Request request;
    request.query = std::move(query);
    request.path_parameters = {{"id", "todo"}};
    request.body = std::move(body);
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    return exchange;
  }

  RecordedRoutes server_;
  StrictMock<plugins::MockPluginManager> manager_;
  ManagementRoutes routes_{manager_};
};

TEST_F(ManagementRoutesTest, ListsTheRecords) {
  EXPECT_CALL(manager_, list).WillOnce([](auto done) {
    done(std::vector{record("a"), record("b")});
  });
  const auto body = send("GET /api/v1/plugins")->json();
  EXPECT_TRUE(body["ok"].asBool());
  ASSERT_EQ(body["plugins"].items().size(), 2U);
  EXPECT_EQ(body["plugins"].items()[1]["id"].asString(), "b");
  EXPECT_EQ(body["plugins"].items()[1]["status"].asString(), "running");
}

TEST_F(ManagementRoutesTest, ChecksADirectoryThatMayBeInstalled) {
  EXPECT_CALL(manager_, inspect("/a", _)).WillOnce([](const std::string&, auto done) {
    done(plugins::Inspection{.id = "todo", .problems = {"p"}, .warnings = {"w"}});
  });
  const auto* const route = "POST /api/v1/plugins/install/check";
  EXPECT_EQ(send(route, "", R"({"source":"/a"})")->answer->body,
            R"({"ok":true,"id":"todo","problems":["p"],"warnings":["w"]})");
  EXPECT_EQ(send(route, "", "{}")->status(), 400U);
  EXPECT_EQ(send(route, "", R"({"source":"/a","more":1})")->status(), 400U);
}

TEST_F(ManagementRoutesTest, ShowsOneRecord) {
  EXPECT_CALL(manager_, get("todo", _)).WillOnce([](const std::string&, auto done) {
    done(record("todo"));
  });
  EXPECT_EQ(send("GET /api/v1/plugins/:id")->json()["plugin"]["id"].asString(), "todo");
}

TEST_F(ManagementRoutesTest, ShowsTheOverviewOrNull) {
  EXPECT_CALL(manager_, get("todo", _))
      .WillOnce([](const std::string&, auto done) {
        auto found = record("todo");
        found.overview = "# Todo";
        done(std::move(found));
      })
      .WillOnce([](const std::string&, auto done) { done(record("todo")); });
  EXPECT_EQ(send("GET /api/v1/plugins/:id/overview")->answer->body,
            R"({"ok":true,"overview":"# Todo"})");
  EXPECT_EQ(send("GET /api/v1/plugins/:id/overview")->answer->body,
            R"({"ok":true,"overview":null})");
}

TEST_F(ManagementRoutesTest, NamesThePluginThatIsUnknown) {
  EXPECT_CALL(manager_, get).WillOnce([](const std::string&, auto done) {
    done(Error{errc::kUnknownPlugin, "no plugin \"todo\" is installed"});
  });
  const auto exchange = send("GET /api/v1/plugins/:id");
  EXPECT_EQ(exchange->status(), 404U);
  EXPECT_EQ(exchange->json()["error"]["details"]["pluginId"].asString(), "todo");
}

TEST_F(ManagementRoutesTest, EnablesAndDisables) {
  ::testing::InSequence order;
  EXPECT_CALL(manager_, setEnabled("todo", true, _)).WillOnce([](auto, auto, auto done) {
    done(record("todo"));
  });
  EXPECT_CALL(manager_, setEnabled("todo", false, _)).WillOnce([](auto, auto, auto done) {
    done(record("todo", plugins::PluginStatus::kDisabled));
  });
  EXPECT_EQ(send("POST /api/v1/plugins/:id/enable")->json()["plugin"]["status"].asString(),
            "running");
  EXPECT_EQ(
      send("POST /api/v1/plugins/:id/disable", {}, "{}")->json()["plugin"]["status"].asString(),
      "disabled");
  EXPECT_EQ(send("POST /api/v1/plugins/:id/disable", {}, "{")->errorCode(), "invalid_json");
}

TEST_F(ManagementRoutesTest, ReloadsOneOrAll) {
  const auto answer = [](const auto&, auto done) {
    done(std::vector<plugins::ReloadOutcome>{{record("todo"), std::nullopt}});
  };
  EXPECT_CALL(manager_, reload("todo", _)).WillOnce(answer);
  EXPECT_CALL(manager_, reload("", _)).WillOnce(answer);
  EXPECT_EQ(send("POST /api/v1/plugins/reload", "id=todo")->json()["plugins"].items().size(), 1U);
  EXPECT_EQ(send("POST /api/v1/plugins/reload")->status(), 200U);
  EXPECT_EQ(send("POST /api/v1/plugins/reload", "id=")->errorCode(), "invalid_input");
}

TEST_F(ManagementRoutesTest, ReportsAFailedReloadWithTheRecords) {
  EXPECT_CALL(manager_, reload).WillOnce([](auto, auto done) {
    done(std::vector<plugins::ReloadOutcome>{
        {record("todo"),
         Error{errc::kHandlerError, "boom (the previous instance is still running)"}}});
  });
  const auto exchange = send("POST /api/v1/plugins/reload", "id=todo");
  EXPECT_EQ(exchange->status(), 422U);
  const auto error = exchange->json()["error"];
  EXPECT_EQ(error["code"].asString(), "load_failed");
  EXPECT_EQ(error["message"].asString(), "boom (the previous instance is still running)");
  EXPECT_EQ(error["details"]["plugins"].items()[0]["id"].asString(), "todo");
}

TEST_F(ManagementRoutesTest, CountsTheFailuresOfAReloadOfAll) {
  EXPECT_CALL(manager_, reload).WillOnce([](auto, auto done) {
    done(std::vector<plugins::ReloadOutcome>{{record("a"), std::nullopt},
                                             {record("b"), Error{errc::kInternal, "x"}}});
  });
  const auto error = send("POST /api/v1/plugins/reload")->json()["error"];
  EXPECT_EQ(error["message"].asString(), "1 of 2 plugins did not load: b: x");
  EXPECT_EQ(error["details"]["plugins"].items().size(), 2U);
}

TEST_F(ManagementRoutesTest, RemovesAndSaysWhatWasKept) {
  EXPECT_CALL(manager_, remove("todo", false, _)).WillOnce([](auto, auto, auto done) {
    done(std::vector<std::string>{"kv: 2 keys"});
  });
  EXPECT_EQ(send("DELETE /api/v1/plugins/:id")->json().dump(),
            R"({"ok":true,"removed":"todo","kept":["kv: 2 keys"]})");
  EXPECT_CALL(manager_, remove("todo", true, _)).WillOnce([](auto, auto, auto done) {
    done(std::vector<std::string>{});
  });
  EXPECT_EQ(send("DELETE /api/v1/plugins/:id", "purge=true")->json()["kept"].items().size(), 0U);
  EXPECT_EQ(send("DELETE /api/v1/plugins/:id", "purge=maybe")->errorCode(), "invalid_input");
}

TEST_F(ManagementRoutesTest, AnswersWhenTheManagerDropsTheRequest) {
  EXPECT_CALL(manager_, list).WillOnce([](auto) {});
  EXPECT_EQ(send("GET /api/v1/plugins")->errorCode(), "aborted");
}

}  // namespace
}  // namespace svc::rpc
