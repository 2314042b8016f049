// How a real server hands out the built app window: policy, compressed files, base path.
#include <regex>

#include <gmock/gmock.h>

#include "harness/server.h"

namespace svc::test {
namespace {

using ::testing::HasSubstr;

constexpr const char* kNavigation = "text/html,application/xhtml+xml,*/*;q=0.8";

class WindowTest : public ::testing::Test {
 protected:
  explicit WindowTest(std::vector<std::string> flags = {})
      : server_(kDefaultModules, std::move(flags)) {}

  Answer get(const std::string& target, std::map<std::string, std::string> headers = {},
             const std::string& method = "GET") {
    return server_.http().send({.method = method, .target = target, .headers = std::move(headers)});
  }
  /// The entry script, as the page names it: "assets/index-<hash>.js".
  std::string entryScript() { return named(R"re(<script type="module"[^>]* src="\./([^"]+)")re"); }
  /// What the entry script needs at once: "assets/boot-<hash>.js".
  std::string bootScript() {
    return named(R"re(<link rel="modulepreload"[^>]* href="\./(assets/boot-[^"]+\.js)")re");
  }

  Server server_;

 private:
  std::string named(const char* pattern) {
    const auto page = get("/").body;
    std::smatch match;
    EXPECT_TRUE(std::regex_search(page, match, std::regex(pattern))) << page;
    return match[1];
  }
};

TEST_F(WindowTest, ThePageMayRunItsOwnScriptsOnly) {
  const auto page = get("/");
  ASSERT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(page.cache_control, "no-cache");
  EXPECT_THAT(page.body, HasSubstr(R"(<base href="/")"));
  const auto& policy = page.headers.at("content-security-policy");
  EXPECT_THAT(policy, HasSubstr("script-src 'self' 'wasm-unsafe-eval' 'sha256-"));
  EXPECT_THAT(policy, HasSubstr("frame-ancestors 'none'"));
  EXPECT_EQ(page.headers.at("x-content-type-options"), "nosniff");
  EXPECT_EQ(page.headers.at("cross-origin-opener-policy"), "same-origin");
  EXPECT_EQ(get("/", {{"If-None-Match", page.headers.at("etag")}}).status, 304);
  const auto head = get("/", {}, "HEAD");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(head.headers.at("content-length"), std::to_string(page.body.size()));
}

TEST_F(WindowTest, PagesAreTheWindowsOwnAndFilesAreNot) {
  const auto page = get("/").body;
  EXPECT_EQ(get("/plugins/todo/list/a%20b").body, page);
  EXPECT_EQ(get("/plugins/todo/files/notes.md", {{"Accept", kNavigation}}).body, page);
  EXPECT_EQ(get("/assets/gone-12345678.js", {{"Accept", kNavigation}}).status, 404);
  EXPECT_EQ(get("/assets/gone-12345678.js").status, 404);
  EXPECT_EQ(get("/api/v1/unknown", {{"Accept", kNavigation}}).code(), "unknown_route");
}

TEST_F(WindowTest, HashedFilesAreKeptForEverAndTravelCompressed) {
  const auto script = "/" + bootScript();
  const auto plain = get(script);
  ASSERT_EQ(plain.status, 200);
  EXPECT_EQ(plain.content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(plain.cache_control, "public, max-age=31536000, immutable");
  EXPECT_EQ(plain.headers.at("x-content-type-options"), "nosniff");
  for (const std::string encoding : {"br", "gzip"}) {
    const auto packed = get(script, {{"Accept-Encoding", encoding}});
    EXPECT_EQ(packed.headers.at("content-encoding"), encoding);
    EXPECT_EQ(packed.headers.at("vary"), "Accept-Encoding");
    EXPECT_LT(packed.body.size(), plain.body.size());
  }
}

class WindowBasePathTest : public WindowTest {
 protected:
  WindowBasePathTest() : WindowTest({"--appUrl", "https://svc.example/tools/svc/"}) {}
};

TEST_F(WindowBasePathTest, AProxyThatKeepsThePrefixReachesEverything) {
  EXPECT_THAT(get("/tools/svc/").body, HasSubstr(R"(<base href="/tools/svc/")"));
  EXPECT_THAT(get("/tools/svc/plugins/todo").body, HasSubstr(R"(<base href="/tools/svc/")"));
  EXPECT_EQ(get("/tools/svc/" + entryScript()).status, 200);
  EXPECT_TRUE(get("/tools/svc/api/v1/plugins").ok());
  EXPECT_EQ(get("/tools/svc/healthz").body, "ok");
  Socket socket(server_.port(), "/tools/svc/api/v1/ws");
  EXPECT_TRUE(
      socket.await([](const common::Json& frame) { return frame["type"].asString() == "hello"; }));
}

TEST_F(WindowBasePathTest, AProxyThatStripsThePrefixIsKnownByItsHost) {
  const std::map<std::string, std::string> headers{{"Host", "svc.example"},
                                                   {"Origin", "https://svc.example"}};
  EXPECT_THAT(get("/plugins/todo", headers).body, HasSubstr(R"(<base href="/tools/svc/")"));
  EXPECT_TRUE(get("/api/v1/plugins", headers).ok());
}

TEST_F(WindowBasePathTest, WithoutTheProxyTheWindowIsAtTheRoot) {
  EXPECT_THAT(get("/").body, HasSubstr(R"(<base href="/")"));
  EXPECT_TRUE(get("/api/v1/plugins").ok());
}

TEST_F(WindowBasePathTest, ForeignPagesStayOutsideOfIt) {
  EXPECT_EQ(get("/tools/svc/api/v1/plugins", {{"Origin", "https://evil.example"}}).code(),
            "forbidden_origin");
  EXPECT_EQ(get("/tools/svc/api/v1/plugins", {{"Host", "evil.example"}}).code(),
            "forbidden_origin");
}

}  // namespace
}  // namespace svc::test
