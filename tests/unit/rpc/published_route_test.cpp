#include "published_route.h"

#include <gtest/gtest.h>

#include "fakes/fake_generation.h"
#include "mocks/recorded_exchange.h"

namespace svc::rpc {
namespace {

using svc::test::RecordedExchange;

class PublishedRouteTest : public ::testing::Test {
 protected:
  PublishedRouteTest() {
    EXPECT_TRUE(route_.attach(server_).ok());
    const auto notes = loaded_.load("notes");
    notes->registers("manifest", R"({"name":"Notes"})");
    notes->registers("rpc", R"([{"method":"add"},{"method":"list"}])");
    notes->registers("rpc-published",
                     R"([{"method":"add","inputSchema":{"type":"object"}},{"method":"list"}])");
    const auto todo = loaded_.load("todo");
    todo->registers("manifest", R"({"name":"Todo"})");
    todo->registers("rpc", R"([{"method":"hidden","inputSchema":{"type":"null"}}])");
  }
  std::string get(const std::string& query) {
    http::Request request;
    request.query = query;
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("GET /api/v1/plugins/rpc", exchange);
    return exchange->answer ? exchange->answer->body : std::string();
  }

  plugins::FakeLoadedPlugins loaded_;
  svc::test::RecordedRoutes server_;
  PublishedRoute route_{loaded_};
};

TEST_F(PublishedRouteTest, ListsWhatPluginsAdvertise) {
  EXPECT_EQ(get(""), R"({"ok":true,"methods":[)"
                     R"({"pluginId":"notes","displayName":"Notes","method":"add",)"
                     R"("inputSchema":{"type":"object"}},)"
                     R"({"pluginId":"notes","displayName":"Notes","method":"list"}]})");
}

TEST_F(PublishedRouteTest, TellsTheOthersApartWhenAskedForAll) {
  EXPECT_EQ(
      get("pluginId=todo&all=true"),
      R"({"ok":true,"methods":[)"
      R"({"pluginId":"todo","displayName":"Todo","method":"hidden","inputSchema":{"type":"null"},"published":false}]})");
  EXPECT_EQ(get("pluginId=notes&method=list&all=true"),
            R"({"ok":true,"methods":[)"
            R"({"pluginId":"notes","displayName":"Notes","method":"list","published":true}]})");
}

TEST_F(PublishedRouteTest, NarrowsToAPluginAndAMethod) {
  EXPECT_EQ(get("pluginId=notes&method=list"),
            R"({"ok":true,"methods":[)"
            R"({"pluginId":"notes","displayName":"Notes","method":"list"}]})");
  EXPECT_EQ(get("pluginId=todo"), R"({"ok":true,"methods":[]})");
}

}  // namespace
}  // namespace svc::rpc
