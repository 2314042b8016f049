#include "plugin_host_route.h"

#include "fixture.h"
#include "mocks/mock_plugin_manager.h"

namespace svc::hosts {
namespace {

class PluginHostRouteTest : public HostsFixture {
 protected:
  PluginHostRouteTest() {
    ON_CALL(manager_, get).WillByDefault([](const std::string& id, auto done) {
      if (id == "gone") {
        done(Error{errc::kUnknownPlugin, "no plugin \"gone\" is installed"});
      } else {
        done(plugins::PluginRecord{});
      }
    });
    EXPECT_TRUE(route_.attach(server_).ok());
  }
  std::shared_ptr<RecordedExchange> get(const std::string& id) {
    http::Request request;
    request.path_parameters = {{"id", id}};
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("GET /api/v1/plugins/:id/host", exchange);
    reactor_.runAll();
    return exchange;
  }

  RecordedRoutes server_;
  ::testing::NiceMock<plugins::MockPluginManager> manager_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
  std::shared_ptr<const Loads> core_{alive_, &loads_};
  PluginHostRoute route_{manager_, reactor_, core_};
};

TEST_F(PluginHostRouteTest, ShowsTheArtifactOfTheCurrentLoad) {
  auto made = std::make_shared<HostArtifact>(*artifact("g1", "code"));
  made->sdk_version = "0.4.84";
  load("todo", 1, made);
  load("other", 2, artifact("g2"));
  EXPECT_EQ(get("todo")->answer->body, R"({"ok":true,"host":{"artifact":{"digest":")" +
                                           std::string(64, 'a') +
                                           R"(","byteLength":4,"sdkVersion":"0.4.84"}}})");
  EXPECT_TRUE(get("other")->json()["host"]["artifact"]["sdkVersion"].isNull());
}

TEST_F(PluginHostRouteTest, IsNullWithoutALoadedHostEntry) {
  load("plain", 1, nullptr);
  EXPECT_EQ(get("plain")->answer->body, R"({"ok":true,"host":null})");
  EXPECT_EQ(get("disabled")->answer->body, R"({"ok":true,"host":null})");
}

TEST_F(PluginHostRouteTest, AnUnknownPluginIsNotFound) {
  EXPECT_EQ(get("gone")->errorCode(), "unknown_plugin");
}

TEST_F(PluginHostRouteTest, AnswersWhileTheModuleEnds) {
  load("todo", 1, artifact("g1"));
  core_.reset();
  alive_.reset();
  EXPECT_EQ(get("todo")->answer->body, R"({"ok":true,"host":null})");
}

}  // namespace
}  // namespace svc::hosts
