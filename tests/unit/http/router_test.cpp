#include "router.h"

#include <thread>

#include <gtest/gtest.h>

namespace svc::http {
namespace {

EndpointPtr endpoint(std::string method, std::string pattern) {
  auto made = std::make_shared<Endpoint>();
  made->method = std::move(method);
  made->pattern = std::move(pattern);
  return made;
}

class RouteTableTest : public ::testing::Test {
 protected:
  void add(std::string method, std::string pattern) {
    const auto added = table_.add(endpoint(std::move(method), std::move(pattern)));
    ASSERT_TRUE(added.ok());
  }
  /// Pattern that answers, or "-".
  std::string answer(std::string_view method, std::string_view path) {
    const auto match = table_.find(method, path);
    return match.endpoint ? match.endpoint->pattern : "-";
  }

  RouteTable table_;
};

TEST_F(RouteTableTest, LiteralSegmentsWinOverParameters) {
  add("GET", "/plugins/:id");
  add("GET", "/plugins/contributions");
  EXPECT_EQ(answer("GET", "/plugins/contributions"), "/plugins/contributions");
  EXPECT_EQ(answer("GET", "/plugins/todo"), "/plugins/:id");
}

TEST_F(RouteTableTest, ABranchWithoutTheMethodIsLeftAgain) {
  add("GET", "/plugins/contributions");
  add("DELETE", "/plugins/:id");
  EXPECT_EQ(answer("DELETE", "/plugins/contributions"), "/plugins/:id");
}

TEST_F(RouteTableTest, ABranchThatEndsTooEarlyIsLeftAgain) {
  add("GET", "/a/b/c");
  add("GET", "/a/:x/d");
  EXPECT_EQ(answer("GET", "/a/b/d"), "/a/:x/d");
}

TEST_F(RouteTableTest, ParametersAreDecoded) {
  add("POST", "/plugins/:id/rpc/:method");
  const auto match = table_.find("POST", "/plugins/a%20b/rpc/list");
  ASSERT_TRUE(match.endpoint);
  EXPECT_EQ(match.parameters, (decltype(match.parameters){{"id", "a b"}, {"method", "list"}}));
}

TEST_F(RouteTableTest, MalformedEscapesAreReported) {
  add("GET", "/plugins/:id");
  EXPECT_TRUE(table_.find("GET", "/plugins/%zz").malformed);
  EXPECT_TRUE(table_.find("GET", "/plugins/a%00").malformed);
}

TEST_F(RouteTableTest, StarMatchesTheRest) {
  add("*", "/plugins/:id/http/*");
  const auto match = table_.find("PATCH", "/plugins/todo/http/a/b/c");
  ASSERT_TRUE(match.endpoint);
  EXPECT_EQ(match.parameters.back(), (std::pair<std::string, std::string>{"*", "a/b/c"}));
  EXPECT_EQ(answer("GET", "/plugins/todo/http/"), "/plugins/:id/http/*");
  EXPECT_EQ(answer("GET", "/plugins/todo/http"), "-");
}

TEST_F(RouteTableTest, ParametersDoNotMatchEmptySegments) {
  add("GET", "/plugins/:id");
  EXPECT_EQ(answer("GET", "/plugins/"), "-");
}

TEST_F(RouteTableTest, HeadFallsBackToGet) {
  add("GET", "/a");
  EXPECT_EQ(answer("HEAD", "/a"), "/a");
}

TEST_F(RouteTableTest, AnExactMethodWinsOverAnyMethod) {
  add("*", "/a");
  add("GET", "/a");
  EXPECT_EQ(table_.find("GET", "/a").endpoint->method, "GET");
  EXPECT_EQ(table_.find("POST", "/a").endpoint->method, "*");
}

TEST_F(RouteTableTest, ListsTheMethodsOfAKnownPath) {
  add("GET", "/a/b");
  add("DELETE", "/a/:x");
  EXPECT_EQ(table_.find("POST", "/a/b").allow, "GET, HEAD, DELETE");
  EXPECT_EQ(table_.find("POST", "/other").allow, "");
}

TEST_F(RouteTableTest, WebSocketsAndAnyMethodDoNotMix) {
  add("*", "/a");
  add(std::string(kWebSocketMethod), "/a");
  EXPECT_EQ(table_.find(kWebSocketMethod, "/a").endpoint->method, kWebSocketMethod);
  EXPECT_EQ(table_.find("GET", "/a").endpoint->method, "*");
  EXPECT_FALSE(table_.find(kWebSocketMethod, "/b").endpoint);
}

TEST_F(RouteTableTest, TheSameMethodAndPatternIsAConflict) {
  add("GET", "/a/:x");
  const auto again = table_.add(endpoint("GET", "/a/:y"));
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, errc::kConflict);
}

TEST_F(RouteTableTest, RefusesMalformedPatterns) {
  for (const auto* pattern : {"", "a", "/a/:", "/a/*/b"}) {
    const auto added = table_.add(endpoint("GET", pattern));
    ASSERT_FALSE(added.ok()) << pattern;
    EXPECT_EQ(added.error().code, errc::kInvalidArgument) << pattern;
  }
}

TEST(RouterTest, ARouteIsReachableUntilItsHandleIsReleased) {
  Router router;
  auto handle = router.add(endpoint("GET", "/a"));
  ASSERT_TRUE(handle.ok());
  EXPECT_TRUE(router.table().find("GET", "/a").endpoint);
  EXPECT_TRUE(router.serves("GET", "/a"));
  EXPECT_FALSE(router.serves("POST", "/a"));
  handle.value().reset();
  EXPECT_FALSE(router.serves("GET", "/a"));
  EXPECT_FALSE(router.table().find("GET", "/a").endpoint);
}

TEST(RouterTest, AReleasedRouteMayBeAddedAgain) {
  Router router;
  auto first = router.add(endpoint("GET", "/a"));
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(router.add(endpoint("GET", "/a")).ok());
  first.value().reset();
  EXPECT_TRUE(router.add(endpoint("GET", "/a")).ok());
}

TEST(RouterTest, AHandleMayOutliveTheRouter) {
  auto router = std::make_unique<Router>();
  auto handle = router->add(endpoint("GET", "/a"));
  ASSERT_TRUE(handle.ok());
  router.reset();
  handle.value().reset();
}

TEST(CallGateTest, ClosingWaitsForARunningCall) {
  CallGate gate;
  ASSERT_TRUE(gate.enter());
  std::atomic<bool> closed{false};
  std::thread closer([&] {
    gate.close(CallGate::Wait::kYes);
    closed = true;
  });
  EXPECT_FALSE(closed);
  gate.leave();
  closer.join();
  EXPECT_FALSE(gate.enter());
}

TEST(CallGateTest, MayBeClosedFromInsideACall) {
  CallGate gate;
  const GatedCall call(gate);
  ASSERT_TRUE(static_cast<bool>(call));
  gate.close(CallGate::Wait::kNo);
  EXPECT_FALSE(gate.enter());
}

}  // namespace
}  // namespace svc::http
