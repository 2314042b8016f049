#include "plugin_routes.h"

#include <gtest/gtest.h>

namespace svc::routes {
namespace {

TEST(PluginRoutesTest, ComparesPathsAsTheyAre) {
  PluginRoutes routes;
  routes.addRoute("GET", "/a/:id/*", Auth::kNone);
  EXPECT_EQ(routes.findRoute("GET", "/a/:id/*").key, "GET /a/:id/*");
  EXPECT_EQ(routes.findRoute("GET", "/a/:id/*").auth, Auth::kNone);
  for (const auto* other : {"/a/7/x", "/a/:id/*/", "/A/:id/*", "/"}) {
    EXPECT_EQ(routes.findRoute("GET", other).key, "") << other;
    EXPECT_EQ(routes.findRoute("GET", other).allow, "") << other;
  }
}

TEST(PluginRoutesTest, HeadFallsBackToGetUnlessItHasItsOwn) {
  PluginRoutes routes;
  routes.addRoute("GET", "/a", Auth::kLocal);
  routes.addRoute("GET", "/b", Auth::kLocal);
  routes.addRoute("HEAD", "/b", Auth::kToken);
  EXPECT_EQ(routes.findRoute("HEAD", "/a").key, "GET /a");
  EXPECT_EQ(routes.findRoute("HEAD", "/b").key, "HEAD /b");
}

TEST(PluginRoutesTest, NamesTheMethodsOfAPath) {
  PluginRoutes routes;
  routes.addRoute("POST", "/a", Auth::kLocal);
  EXPECT_EQ(routes.findRoute("HEAD", "/a").allow, "POST");
  routes.addRoute("GET", "/a", Auth::kLocal);
  EXPECT_EQ(routes.findRoute("PUT", "/a").allow, "GET, HEAD, POST");
  routes.addRoute("HEAD", "/a", Auth::kLocal);
  EXPECT_EQ(routes.findRoute("PUT", "/a").allow, "GET, HEAD, POST");
}

TEST(PluginRoutesTest, SocketsAndRoutesAreApart) {
  PluginRoutes routes;
  routes.addSocket("/live", Auth::kToken);
  EXPECT_EQ(routes.findSocket("/live").key, "/live");
  EXPECT_EQ(routes.findSocket("/live").auth, Auth::kToken);
  EXPECT_EQ(routes.findRoute("GET", "/live").key, "");
  EXPECT_EQ(routes.findSocket("/other").key, "");
}

}  // namespace
}  // namespace svc::routes
