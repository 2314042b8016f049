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

TEST(DocsTest, ServesTheComponentsThatAuthorsCopy) {
  Server server;
  const auto get = [&](const std::string& name) {
    return server.http().send({.method = "GET", .target = "/api/v1/registry/" + name});
  };
  const auto table = get("table.json");
  EXPECT_EQ(table.status, 200);
  EXPECT_EQ(table.json["type"].asString(), "registry:ui");
  EXPECT_EQ(table.json["files"].items().at(0)["path"].asString(), "components/ui/table.tsx");
  EXPECT_THAT(get("registry.json").body, HasSubstr("\"name\": \"table\""));
  const auto unknown = get("tabel.json");
  EXPECT_EQ(unknown.code(), "unknown_asset");
  EXPECT_THAT(unknown.body, HasSubstr("there is no component tabel.json; there are button, card"));
}

}  // namespace
}  // namespace svc::test
