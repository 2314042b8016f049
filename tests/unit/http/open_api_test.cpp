#include "open_api.h"

#include <gtest/gtest.h>

namespace svc::http {
namespace {

using common::Json;

EndpointPtr routeOf(std::string method, std::string pattern, Guard guard = Guard::kLocal) {
  auto out = std::make_shared<Endpoint>();
  out->method = std::move(method);
  out->pattern = std::move(pattern);
  out->guard = guard;
  out->body_limit = BodyLimit(1234);
  return out;
}

Json described(const std::vector<EndpointPtr>& endpoints) { return openApi(endpoints, "1.2.3"); }

TEST(OpenApiTest, HasTheRoutesOfTheInterfaceInOrder) {
  const auto api = described({routeOf("POST", "/api/v1/b"), routeOf("GET", "/internal/x"),
                              routeOf("GET", "/healthz"), routeOf("GET", "/api/v1/a")});
  EXPECT_EQ(api["openapi"].asString(), "3.1.0");
  EXPECT_EQ(api["info"]["version"].asString(), "1.2.3");
  const auto& paths = api["paths"].members();
  ASSERT_EQ(paths.size(), 2U);
  EXPECT_EQ(paths[0].first, "/api/v1/a");
  EXPECT_EQ(paths[1].first, "/api/v1/b");
}

TEST(OpenApiTest, ParametersAreThoseOfThePattern) {
  const auto api = described({routeOf("GET", "/api/v1/plugins/:id/assets/*")});
  const auto& get = api["paths"]["/api/v1/plugins/{id}/assets/{rest}"]["get"];
  ASSERT_EQ(get["parameters"].items().size(), 2U);
  EXPECT_EQ(get["parameters"].items()[0]["name"].asString(), "id");
  EXPECT_TRUE(get["parameters"].items()[1]["required"].asBool());
  EXPECT_EQ(get["operationId"].asString(), "get_plugins_id_assets_rest");
  EXPECT_EQ(get["x-svc-pattern"].asString(), "/api/v1/plugins/:id/assets/*");
  EXPECT_NE(get["responses"].find("404"), nullptr);
}

TEST(OpenApiTest, SaysWhoMayCallAndHowMuchTheySend) {
  const auto api = described({routeOf("PUT", "/api/v1/a"), routeOf("GET", "/api/v1/a"),
                              routeOf("POST", "/api/v1/open", Guard::kNone)});
  const auto& put = api["paths"]["/api/v1/a"]["put"];
  EXPECT_EQ(put["x-svc-guard"].asString(), "local");
  EXPECT_EQ(put["x-svc-body-limit"].asInteger(), 1234);
  EXPECT_NE(put["responses"].find("415"), nullptr);
  EXPECT_NE(put["responses"].find("403"), nullptr);
  const auto& get = api["paths"]["/api/v1/a"]["get"];
  EXPECT_EQ(get.find("requestBody"), nullptr);
  EXPECT_EQ(get.find("x-svc-body-limit"), nullptr);
  EXPECT_EQ(api["paths"]["/api/v1/open"]["post"]["responses"].find("403"), nullptr);
}

TEST(OpenApiTest, ARouteOfAnyMethodIsOneOfEachThatHasNone) {
  const auto api =
      described({routeOf("*", "/api/v1/a"), routeOf("GET", "/api/v1/a", Guard::kHost)});
  const auto& path = api["paths"]["/api/v1/a"];
  EXPECT_EQ(path.members().size(), 5U);
  EXPECT_EQ(path["get"]["x-svc-guard"].asString(), "host");
  EXPECT_TRUE(path["patch"]["x-svc-any-method"].asBool());
}

TEST(OpenApiTest, SocketsAreMarked) {
  const auto api = described({routeOf(std::string(kWebSocketMethod), "/api/v1/ws"),
                              routeOf(std::string(kWebSocketMethod), "/api/v1/both"),
                              routeOf("GET", "/api/v1/both")});
  EXPECT_TRUE(api["paths"]["/api/v1/ws"]["get"]["x-svc-websocket"].asBool());
  EXPECT_NE(api["paths"]["/api/v1/ws"]["get"]["responses"].find("101"), nullptr);
  EXPECT_TRUE(api["paths"]["/api/v1/both"]["get"]["x-svc-websocket"].asBool());
  EXPECT_EQ(api["paths"]["/api/v1/both"]["get"]["responses"].find("101"), nullptr);
}

TEST(OpenApiTest, FailuresNameTheCodes) {
  const auto api = described({});
  const auto& code =
      api["components"]["schemas"]["Failure"]["properties"]["error"]["properties"]["code"];
  EXPECT_GT(code["examples"].items().size(), 40U);
}

}  // namespace
}  // namespace svc::http
