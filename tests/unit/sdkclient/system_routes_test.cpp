#include "system_routes.h"

#include <gtest/gtest.h>

#include "mocks/mock_plugin_manager.h"
#include "mocks/recorded_exchange.h"

namespace svc::sdkclient {
namespace {

using svc::testing::RecordedExchange;

class SystemRoutesTest : public ::testing::Test {
 protected:
  SystemRoutesTest() {
    ON_CALL(server_, baseUrl).WillByDefault(::testing::Return("http://127.0.0.1:4700"));
    EXPECT_TRUE(routes_.attach().ok());
  }
  std::string get(const std::string& path) {
    auto exchange = std::make_shared<RecordedExchange>();
    server_.call("GET /api/v1/system/" + path, exchange);
    return exchange->answer ? exchange->answer->body : std::string();
  }

  svc::testing::RecordedRoutes server_;
  ::testing::NiceMock<plugins::MockPluginManager> manager_;
  SystemRoutes routes_{server_, manager_, {.data_dir = "/data", .timezone = "Europe/Berlin"}};
};

TEST_F(SystemRoutesTest, SaysItsVersions) {
  EXPECT_EQ(get("version"), R"({"ok":true,"version":"0.43.0","sdkVersion":"0.4.84"})");
}

TEST_F(SystemRoutesTest, SaysItsConfiguration) {
  EXPECT_CALL(manager_, safeMode).WillOnce([](auto done) {
    done(plugins::SafeModeState{.enabled = true, .problems = {}});
  });
  EXPECT_EQ(get("config"),
            R"({"ok":true,"version":"0.43.0","sdkVersion":"0.4.84","dataDir":"/data",)"
            R"("serverUrl":"http://127.0.0.1:4700","primaryHostId":null,)"
            R"("timezone":"Europe/Berlin","safeMode":true})");
}

}  // namespace
}  // namespace svc::sdkclient
