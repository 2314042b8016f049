#include "static_files.h"

#include <unistd.h>

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "svc/common/codes.h"

#include "fakes/inline_workers.h"
#include "mocks/mock_http_server.h"

namespace svc::http {
namespace {

using svc::test::InlineWorkers;
using ::testing::_;
using ::testing::HasSubstr;
using ::testing::NiceMock;
using ::testing::ReturnRef;

constexpr const char* kIndex = "<base href=\"/\"><index>";

class StaticFilesTest : public ::testing::Test {
 protected:
  StaticFilesTest() {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-static-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
    write("window/index.html", kIndex);
    write("window/assets/app-1234.js", "js");
    write("window/.hidden", "hidden");
    write("secret.txt", "secret");
  }
  ~StaticFilesTest() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((directory_ / name).parent_path());
    std::ofstream(directory_ / name) << text;
  }

  Response answer(const std::string& path, std::vector<Header> headers = {},
                  const std::string& root = "window", const std::string& base_path = "") {
    Request request;
    request.base_path = base_path;
    request.path = path;
    request.headers = std::move(headers);
    const auto exchange = std::make_shared<NiceMock<test::MockExchange>>();
    ON_CALL(*exchange, request()).WillByDefault(ReturnRef(request));
    Response result;
    EXPECT_CALL(*exchange, respond(_)).WillOnce([&](Response response) {
      result = std::move(response);
    });
    StaticFiles(directory_ / root, "9.9.9", workers_).answer(exchange);
    return result;
  }

  static std::string header(const Response& response, std::string_view name) {
    for (const auto& each : response.headers) {
      if (each.name == name) {
        return each.value;
      }
    }
    return {};
  }

  std::filesystem::path directory_;
  InlineWorkers workers_;
};

TEST_F(StaticFilesTest, ServesFilesWithTheirTypeAndCaching) {
  const auto index = answer("/");
  EXPECT_EQ(index.body, kIndex);
  EXPECT_EQ(index.content_type, "text/html; charset=utf-8");
  const auto script = answer("/assets/app-1234.js");
  EXPECT_EQ(script.body, "js");
  EXPECT_EQ(script.content_type, "text/javascript; charset=utf-8");
  EXPECT_THAT(script.headers[1].value, HasSubstr("immutable"));
  EXPECT_EQ(header(script, "x-content-type-options"), "nosniff");
}

TEST_F(StaticFilesTest, SendsTheBestFormThatIsThere) {
  write("window/assets/app-1234.js.br", "brotli");
  write("window/assets/app-1234.js.gz", "gzip");
  const auto brotli = answer("/assets/app-1234.js", {{"Accept-Encoding", "gzip, br"}});
  EXPECT_EQ(brotli.body, "brotli");
  EXPECT_EQ(header(brotli, "content-encoding"), "br");
  EXPECT_EQ(brotli.content_type, "text/javascript; charset=utf-8");
  const auto gzip = answer("/assets/app-1234.js", {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(gzip.body, "gzip");
  const auto plain = answer("/assets/app-1234.js", {{"Accept-Encoding", "br;q=0"}});
  EXPECT_EQ(plain.body, "js");
  EXPECT_EQ(header(plain, "content-encoding"), "");
  for (const auto& each : {brotli, gzip, plain}) {
    EXPECT_EQ(header(each, "vary"), "Accept-Encoding");
  }
  EXPECT_NE(header(brotli, "etag"), header(gzip, "etag"));
  EXPECT_EQ(answer("/assets/app-1234.js",
                   {{"Accept-Encoding", "br"}, {"If-None-Match", header(brotli, "etag")}})
                .status,
            304U);
}

TEST_F(StaticFilesTest, WithoutACompressedFormTheFileIsSent) {
  const auto script = answer("/assets/app-1234.js", {{"Accept-Encoding", "br"}});
  EXPECT_EQ(script.body, "js");
  EXPECT_EQ(header(script, "content-encoding"), "");
}

TEST_F(StaticFilesTest, ThePageKnowsItsBasePathAndItsPolicy) {
  const auto page = answer("/threads/1", {}, "window", "/svc");
  EXPECT_EQ(page.body, "<base href=\"/svc/\"><index>");
  EXPECT_THAT(header(page, "content-security-policy"), HasSubstr("script-src 'self'"));
}

TEST_F(StaticFilesTest, NavigationsToIdsWithDotsGetTheIndexAndScriptsNever) {
  const std::vector<Header> navigates{{"Accept", "text/html,application/xhtml+xml,*/*;q=0.8"}};
  EXPECT_EQ(answer("/plugins/todo/page/notes.md", navigates).body, kIndex);
  EXPECT_EQ(answer("/plugins/todo/page/notes.md", {{"Accept", "*/*"}}).status, 404U);
  EXPECT_EQ(answer("/assets/gone", navigates).status, 404U);
  EXPECT_EQ(answer("/assets/gone.js", navigates).status, 404U);
}

TEST_F(StaticFilesTest, PagesOfTheWindowGetTheIndex) {
  EXPECT_EQ(answer("/plugins/todo/page").body, kIndex);
}

TEST_F(StaticFilesTest, MissingFilesAreNotFound) {
  EXPECT_EQ(answer("/assets/gone.js").status, 404U);
}

TEST_F(StaticFilesTest, KnownVersionsAreNotSentAgain) {
  const auto first = answer("/");
  const auto second = answer("/", {{"If-None-Match", first.headers[0].value}});
  EXPECT_EQ(second.status, 304U);
  EXPECT_EQ(second.body, "");
}

TEST_F(StaticFilesTest, PathsDoNotEscape) {
  std::filesystem::create_symlink(directory_ / "secret.txt", directory_ / "window/link.txt");
  for (const auto* path :
       {"/../secret.txt", "/%2e%2e/secret.txt", "/a/../../secret.txt", "/.hidden", "/link.txt",
        "//etc/passwd", "/..%5csecret.txt", "/a%00b.txt", "/%zz"}) {
    EXPECT_EQ(answer(path).status, 404U) << path;
  }
}

TEST_F(StaticFilesTest, ABrowserThatGoesToAnOddPlaceGetsTheWindow) {
  const std::vector<Header> browser{{"Accept", "text/html,application/xhtml+xml"}};
  for (const auto* path :
       {"/plugins/notes/main/C%3A%5Cdir", "/plugins/notes/main/a//b", "/plugins/notes/main/.git",
        "/plugins/notes/main/%2F..", "/plugins/notes/main/%zz", "/plugins/notes/main/%00"}) {
    const auto page = answer(path, browser);
    EXPECT_EQ(page.status, 200U) << path;
    EXPECT_EQ(page.body, kIndex) << path;
    EXPECT_EQ(answer(path).status, 404U) << path;
  }
  EXPECT_EQ(answer("/assets/gone.js", browser).status, 404U);
}

TEST_F(StaticFilesTest, AFullQueueIsOverloaded) {
  workers_.full = true;
  EXPECT_EQ(answer("/").status, 503U);
}

TEST_F(StaticFilesTest, WithoutTheWindowAPageExplains) {
  const auto page = answer("/", {}, "missing");
  EXPECT_EQ(page.status, 200U);
  EXPECT_THAT(page.body, HasSubstr("9.9.9"));
  EXPECT_THAT(page.body, HasSubstr("svc plugin list"));
  EXPECT_EQ(answer("/other", {}, "missing").status, 404U);
}

}  // namespace
}  // namespace svc::http
