#include "window_page.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace svc::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string header(const Response& response, std::string_view name) {
  const auto found = std::find_if(response.headers.begin(), response.headers.end(),
                                  [&](const Header& each) { return each.name == name; });
  return found == response.headers.end() ? "" : found->value;
}

TEST(WindowPageTest, InlineScriptsAreAllowedByTheirDigest) {
  // printf %s 'alert(1)' | openssl dgst -sha256 -binary | base64
  EXPECT_THAT(contentSecurityPolicy("<script>alert(1)</script>"),
              HasSubstr("script-src 'self' 'wasm-unsafe-eval' "
                        "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=';"));
}

TEST(WindowPageTest, EveryInlineScriptCountsAndOthersDoNot) {
  const auto policy = contentSecurityPolicy(
      "<script>a()</script><script type=\"module\" src=\"./x.js\"></script><script\n"
      "id=\"b\">b()</script>");
  const auto digests = [&policy] {
    std::size_t count = 0;
    for (auto at = policy.find("'sha256-"); at != std::string::npos;
         at = policy.find("'sha256-", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(digests(), 2U);
}

TEST(WindowPageTest, NothingElseMayRunOrFrameThePage) {
  const auto policy = contentSecurityPolicy("<html></html>");
  EXPECT_THAT(policy, HasSubstr("script-src 'self' 'wasm-unsafe-eval';"));
  for (const auto* directive : {"default-src 'self'", "frame-ancestors 'none'", "object-src 'none'",
                                "base-uri 'self'", "form-action 'self'"}) {
    EXPECT_THAT(policy, HasSubstr(directive));
  }
  EXPECT_THAT(policy, Not(HasSubstr("'unsafe-eval'")));
}

TEST(WindowPageTest, PluginsMayShowAndReachWhatIsNotOfTheWindow) {
  const auto policy = contentSecurityPolicy("<html></html>");
  EXPECT_THAT(policy, HasSubstr("connect-src 'self' data: blob: http: https: ws: wss:;"));
  EXPECT_THAT(policy, HasSubstr("frame-src 'self' data: blob: http: https:;"));
  EXPECT_THAT(policy, HasSubstr("img-src 'self' data: blob: http: https:;"));
  EXPECT_THAT(policy, HasSubstr("font-src 'self' data: https:;"));
}

TEST(WindowPageTest, TheBaseOfThePageIsThePublicPath) {
  constexpr const char* kHtml = R"(<head><base href="/" /><title>x</title></head>)";
  EXPECT_EQ(windowPage(kHtml, "").body, kHtml);
  const auto page = windowPage(kHtml, "/tools/svc");
  EXPECT_EQ(page.body, R"(<head><base href="/tools/svc/" /><title>x</title></head>)");
  EXPECT_NE(header(page, "etag"), header(windowPage(kHtml, ""), "etag"));
  EXPECT_EQ(header(page, "cache-control"), "no-cache");
  EXPECT_EQ(header(page, "x-content-type-options"), "nosniff");
}

}  // namespace
}  // namespace svc::http
