#include "inventory_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "fakes/fake_generation.h"
#include "mocks/mock_plugin_logs.h"
#include "mocks/mock_plugin_manager.h"
#include "mocks/recorded_exchange.h"

namespace svc::rpc {
namespace {

using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;
using ::testing::_;
using ::testing::StrictMock;

class InventoryRoutesTest : public ::testing::Test {
 protected:
  InventoryRoutesTest() { EXPECT_TRUE(routes_.attach(server_).ok()); }

  std::shared_ptr<RecordedExchange> send(const std::string& route, std::string body = {}) {
    http::Request request;
    request.path_parameters = {{"id", "todo"}};
    request.body = std::move(body);
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call(route, exchange);
    return exchange;
  }
  std::shared_ptr<RecordedExchange> report(std::string body) {
    return send("POST /api/v1/plugins/:id/app-report", std::move(body));
  }
  std::shared_ptr<RecordedExchange> problems(std::string body) {
    return send("PUT /api/v1/plugins/:id/dev-problems", std::move(body));
  }

  RecordedRoutes server_;
  StrictMock<plugins::MockPluginManager> manager_;
  StrictMock<plugins::MockPluginLogs> logs_;
  plugins::FakeLoadedPlugins loaded_;
  InventoryRoutes routes_{manager_, logs_, loaded_};
};

TEST_F(InventoryRoutesTest, ShowsTheSource) {
  EXPECT_CALL(manager_, source("todo", _)).WillOnce([](const std::string&, auto done) {
    plugins::SourceDetail detail;
    detail.requested = "path:/a";
    detail.resolved = "/a";
    detail.engine_service = ">=0.43";
    detail.installed_at = 5;
    detail.history = {{"1.0.0", "/a", 5}};
    done(detail);
  });
  EXPECT_EQ(send("GET /api/v1/plugins/:id/source")->answer->body,
            R"({"ok":true,"source":{"requested":"path:/a","resolved":"/a",)"
            R"("engines":{"svc":">=0.43","svcPluginSdk":null},"installedAt":5,)"
            R"("history":[{"version":"1.0.0","resolved":"/a","at":5}]}})");
}

TEST_F(InventoryRoutesTest, TakesBuildProblems) {
  EXPECT_CALL(manager_, setDevProblems("todo", _, _))
      .WillOnce([](const std::string&, const auto& given, auto done) {
        ASSERT_EQ(given.size(), 2U);
        EXPECT_EQ(given[0].target, plugins::BundleTarget::kApp);
        EXPECT_EQ(given[1].target, plugins::BundleTarget::kHost);
        EXPECT_EQ(given[1].message, "b");
        done({});
      });
  const auto exchange =
      problems(R"({"problems":[{"kind":"app","message":"a"},{"kind":"host","message":"b"}]})");
  EXPECT_EQ(exchange->answer->body, R"({"ok":true})");
}

TEST_F(InventoryRoutesTest, NamesEveryMistakeOfBuildProblems) {
  const auto exchange = problems(R"({"problems":[{"kind":"x"}]})");
  EXPECT_EQ(exchange->errorCode(), "invalid_input");
  EXPECT_EQ(exchange->json()["error"]["issues"].dump(),
            R"([{"message":"Expected \"app\" or \"host\"","path":["problems",0,"kind"]},)"
            R"({"message":"Expected a non-empty string","path":["problems",0,"message"]}])");
  EXPECT_EQ(problems("{}")->errorCode(), "invalid_input");
}

TEST_F(InventoryRoutesTest, AWindowsFailureGoesToThePluginLog) {
  EXPECT_CALL(manager_, get("todo", _)).WillOnce([](const std::string&, auto done) {
    done(plugins::PluginRecord{});
  });
  EXPECT_CALL(logs_, append("todo", _))
      .WillOnce([](const std::string&, const plugins::LogLine& line) {
        EXPECT_EQ(line.level, "error");
        EXPECT_EQ(line.source, "app");
        EXPECT_EQ(line.generation, 3U);
        EXPECT_EQ(line.message, "render of navPanel/list: boom (bundle 0123)");
        EXPECT_EQ(line.stack, "at x");
      });
  const auto exchange = report(R"({"hash":"0123","generation":3,"phase":"render",)"
                               R"("slot":"navPanel/list","message":"boom","stack":"at x"})");
  EXPECT_EQ(exchange->answer->body, R"({"ok":true})");
}

TEST_F(InventoryRoutesTest, AReportMayBeAWarning) {
  EXPECT_CALL(manager_, get("todo", _)).WillOnce([](const std::string&, auto done) {
    done(plugins::PluginRecord{});
  });
  EXPECT_CALL(logs_, append("todo", _))
      .WillOnce([](const std::string&, const plugins::LogLine& line) {
        EXPECT_EQ(line.level, "warn");
        EXPECT_EQ(line.message, "setup: unknown field");
      });
  EXPECT_EQ(report(R"({"phase":"setup","level":"warn","message":"unknown field"})")->status(),
            200U);
  EXPECT_EQ(report(R"({"phase":"setup","level":"fatal","message":"x"})")->errorCode(),
            "invalid_input");
}

TEST_F(InventoryRoutesTest, AReportNamesAPhaseThatThereIs) {
  const auto refused = report(R"({"phase":"lunch","message":"x"})");
  EXPECT_EQ(refused->errorCode(), "invalid_input");
  EXPECT_THAT(refused->answer->body,
              HasSubstr("Expected one of load, setup, mount, render, dispose, loaded"));
}

TEST_F(InventoryRoutesTest, ABundleThatDoesNotLoadStandsInTheRecordOnce) {
  const auto generation = loaded_.load("todo");
  plugins::PluginRecord record;
  record.id = "todo";
  record.app.emplace().hash = "0123";
  EXPECT_CALL(manager_, get("todo", _)).WillRepeatedly([&](const std::string&, auto done) {
    record.problems = generation->problems;
    done(record);
  });
  EXPECT_CALL(logs_, append("todo", _)).Times(5);
  // Another bundle, a part of the page, and what is only a warning.
  report(R"({"hash":"beef","phase":"load","message":"old"})");
  report(R"({"hash":"0123","phase":"render","message":"part"})");
  report(R"({"hash":"0123","phase":"setup","level":"warn","message":"unknown field"})");
  EXPECT_TRUE(generation->problems.empty());
  report(R"({"hash":"0123","phase":"load","message":"oops\nat app.tsx"})");
  report(R"({"hash":"0123","phase":"load","message":"oops"})");
  ASSERT_EQ(generation->problems.size(), 1U);
  EXPECT_EQ(generation->problems[0].code, "ui_failed");
  EXPECT_EQ(generation->problems[0].message, "UI failed in a window: oops");
}

TEST_F(InventoryRoutesTest, AWindowThatLoadsTheBundleTakesTheFailureBack) {
  const auto generation = loaded_.load("todo");
  plugins::PluginRecord record;
  record.id = "todo";
  record.app.emplace().hash = "0123";
  EXPECT_CALL(manager_, get("todo", _)).WillRepeatedly([&](const std::string&, auto done) {
    record.problems = generation->problems;
    done(record);
  });
  EXPECT_CALL(logs_, append("todo", _)).Times(4);
  generation->problems = {{"cli_command_shadowed", "belongs to another"}};
  report(R"({"hash":"0123","phase":"setup","message":"oops"})");
  report(R"({"hash":"beef","phase":"loaded","level":"info","message":"another bundle"})");
  EXPECT_EQ(generation->problems.size(), 2U);
  report(R"({"hash":"0123","phase":"loaded","level":"info","message":"in use"})");
  ASSERT_EQ(generation->problems.size(), 1U);
  EXPECT_EQ(generation->problems[0].code, "cli_command_shadowed");
  // It may fail again.
  report(R"({"hash":"0123","phase":"load","message":"again"})");
  EXPECT_EQ(generation->problems.size(), 2U);
}

TEST_F(InventoryRoutesTest, AReportNeedsPhaseAndMessage) {
  const auto exchange = report(R"({"generation":-1,"hash":7})");
  EXPECT_EQ(exchange->errorCode(), "invalid_input");
  EXPECT_EQ(exchange->json()["error"]["issues"].items().size(), 4U);
}

TEST_F(InventoryRoutesTest, AReportAboutAnUnknownPluginIsNotFound) {
  EXPECT_CALL(manager_, get).WillOnce([](const std::string&, auto done) {
    done(Error{errc::kUnknownPlugin, "no plugin"});
  });
  EXPECT_EQ(report(R"({"phase":"load","message":"x"})")->status(), 404U);
}

}  // namespace
}  // namespace svc::rpc
