#include "base_path.h"

#include <gtest/gtest.h>

#include "guard.h"

namespace svc::http {
namespace {

Request applied(const std::string& app_url, std::string path,
                const std::string& host = "127.0.0.1:4700") {
  Request request;
  request.path = std::move(path);
  request.headers = {{"Host", host}};
  BasePath::of(app_url).value().apply(request);
  return request;
}

TEST(BasePathTest, TakesThePrefixOffPathsThatHaveIt) {
  const auto request = applied("https://example.org/tools/svc/", "/tools/svc/api/v1/plugins");
  EXPECT_EQ(request.path, "/api/v1/plugins");
  EXPECT_EQ(request.base_path, "/tools/svc");
  EXPECT_EQ(applied("https://example.org/svc", "/svc").path, "/");
  EXPECT_EQ(applied("https://example.org/svc", "/svc/").path, "/");
}

TEST(BasePathTest, OtherPathsStay) {
  for (const auto* path : {"/", "/svcx/a", "/api/v1/plugins", "/SVC/a"}) {
    const auto request = applied("https://example.org/svc/", path);
    EXPECT_EQ(request.path, path);
    EXPECT_EQ(request.base_path, "");
  }
}

TEST(BasePathTest, AProxyThatStripsIsKnownByThePublicHost) {
  EXPECT_EQ(applied("https://example.org/svc/", "/threads/1", "Example.org").base_path, "/svc");
  EXPECT_EQ(applied("https://example.org/svc/", "/threads/1", "example.org:443").base_path, "/svc");
  EXPECT_EQ(applied("https://example.org:8443/svc/", "/", "example.org:8443").base_path, "/svc");
  EXPECT_EQ(applied("https://example.org:8443/svc/", "/", "example.org").base_path, "");
}

TEST(BasePathTest, AnAddressWithoutAPathChangesNothing) {
  for (const auto* url :
       {"", "https://example.org", "https://example.org/", "https://example.org//"}) {
    const auto request = applied(url, "/svc/a", "example.org");
    EXPECT_EQ(request.path, "/svc/a") << url;
    EXPECT_EQ(request.base_path, "") << url;
  }
}

TEST(BasePathTest, RefusesPathsThatCannotBeToldApart) {
  for (const auto* url :
       {"https://example.org/api", "https://example.org/assets/x", "https://example.org/ws/",
        "https://example.org/a//b", "https://example.org/a/../b", "https://example.org/a?b=c",
        "https://example.org/a#b", "https://example.org/\"><script>"}) {
    EXPECT_FALSE(BasePath::of(url).ok()) << url;
    EXPECT_FALSE(GuardPolicy::create({.listen_host = "127.0.0.1", .app_url = url}).ok()) << url;
  }
}

}  // namespace
}  // namespace svc::http
