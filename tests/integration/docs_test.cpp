// The documentation of a real server, as people and programs ask for it.
#include <gmock/gmock.h>

#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(DocsTest, IsServedWithItsIndexForPrograms) {
  Server server;
  const auto get = [&](const std::string& target) {
    return server.http().send({.method = "GET", .target = target});
  };
  EXPECT_EQ(get("/docs").headers.at("location"), "/docs/");
  const auto page = get("/docs/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_THAT(page.headers.at("content-security-policy"), HasSubstr("script-src 'self'"));
  EXPECT_THAT(page.body, HasSubstr("Search the documentation"));
  EXPECT_THAT(get("/docs/guide/rpc.md").body, StartsWith("# "));
  EXPECT_THAT(get("/llms.txt").body, HasSubstr("](docs/guide/rpc.md)"));
  EXPECT_THAT(get("/llms-full.txt").body, HasSubstr("docs/guide/rpc.md"));
  EXPECT_EQ(get("/docs/gone.md").code(), "unknown_asset");
}

}  // namespace
}  // namespace svc::test
