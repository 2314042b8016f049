#include "branding_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "mocks/mock_plugin_assets.h"
#include "mocks/recorded_exchange.h"

namespace svc::rpc {
namespace {

using svc::test::RecordedExchange;
using svc::test::RecordedRoutes;
using ::testing::Return;
using ::testing::StrictMock;

class BrandingRoutesTest : public ::testing::Test {
 protected:
  BrandingRoutesTest() {
    EXPECT_TRUE(routes_.attach(server_).ok());
    ON_CALL(assets_, branding).WillByDefault(Return(asset_));
  }

  std::shared_ptr<RecordedExchange> get(const std::string& file, std::string query = {},
                                        std::vector<http::Header> headers = {}) {
    http::Request request;
    request.query = std::move(query);
    request.headers = std::move(headers);
    request.path_parameters = {{"id", "todo"}, {"file", "ok.svg"}};
    auto exchange = std::make_shared<RecordedExchange>(std::move(request));
    server_.call("GET /api/v1/plugins/:id/assets/" + file, exchange);
    return exchange;
  }
  static std::string header(const RecordedExchange& exchange, std::string_view name) {
    for (const auto& each : exchange.answer->headers) {
      if (each.name == name) {
        return each.value;
      }
    }
    return {};
  }

  std::shared_ptr<const plugins::PluginAsset> asset_ = std::make_shared<const plugins::PluginAsset>(
      plugins::PluginAsset{"<svg/>", "image/svg+xml", "0123456789abcdef"});
  RecordedRoutes server_;
  ::testing::NiceMock<plugins::MockPluginAssets> assets_;
  BrandingRoutes routes_{assets_};
};

TEST_F(BrandingRoutesTest, ServesBytesThatMayBeKeptForEver) {
  EXPECT_CALL(assets_, branding("todo", "logo-dark")).WillOnce(Return(asset_));
  const auto exchange = get("logo-dark", "h=0123456789abcdef&x=1");
  EXPECT_EQ(exchange->status(), 200U);
  EXPECT_EQ(exchange->answer->body, "<svg/>");
  EXPECT_EQ(exchange->answer->content_type, "image/svg+xml");
  EXPECT_EQ(header(*exchange, "cache-control"), "public, max-age=31536000, immutable");
  EXPECT_EQ(header(*exchange, "x-content-type-options"), "nosniff");
  EXPECT_EQ(header(*exchange, "content-security-policy"), "default-src 'none'");
}

TEST_F(BrandingRoutesTest, WithoutAHashTheClientAsksAgain) {
  const auto exchange = get("icon");
  EXPECT_EQ(header(*exchange, "cache-control"), "no-cache");
  EXPECT_EQ(header(*exchange, "etag"), "\"0123456789abcdef\"");
  const auto again = get("icon", "", {{"If-None-Match", "\"0123456789abcdef\""}});
  EXPECT_EQ(again->status(), 304U);
  EXPECT_EQ(again->answer->body, "");
  EXPECT_EQ(get("icon", "", {{"If-None-Match", "\"other\""}})->status(), 200U);
}

TEST_F(BrandingRoutesTest, NeverServesBytesOfAnotherHash) {
  for (const auto* query : {"h=fedcba9876543210", "h="}) {
    const auto exchange = get("logo", query);
    EXPECT_EQ(exchange->status(), 404U);
    EXPECT_EQ(exchange->errorCode(), "unknown_asset");
    EXPECT_EQ(header(*exchange, "cache-control"), "no-store");
  }
}

TEST_F(BrandingRoutesTest, NamesIconsByTheirFile) {
  EXPECT_CALL(assets_, branding("todo", "icons/ok")).WillOnce(Return(asset_));
  EXPECT_EQ(get("icons/:file")->status(), 200U);
  auto request = http::Request();
  request.path_parameters = {{"id", "todo"}, {"file", "ok.png"}};
  auto exchange = std::make_shared<RecordedExchange>(std::move(request));
  server_.call("GET /api/v1/plugins/:id/assets/icons/:file", exchange);
  EXPECT_EQ(exchange->errorCode(), "unknown_asset");
}

TEST_F(BrandingRoutesTest, NamesThePluginThatIsUnknown) {
  EXPECT_CALL(assets_, branding).WillOnce(Return(Error{errc::kUnknownPlugin, "no plugin"}));
  const auto exchange = get("icon");
  EXPECT_EQ(exchange->status(), 404U);
  EXPECT_EQ(exchange->json()["error"]["details"]["pluginId"].asString(), "todo");
}

}  // namespace
}  // namespace svc::rpc
